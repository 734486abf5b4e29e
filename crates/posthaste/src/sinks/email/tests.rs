//! What needs no server: which settings are accepted, and what is shown.

use super::*;
use crate::sink::payload_template::Written;

fn written(template: &str) -> Written {
    Written::parse(template).unwrap()
}

fn settings() -> Settings {
    let [from, to, subject, text] =
        ["Shop <shop@example.com>", "{{ payload.to }}", "Hello", "{{ payload.text }}"].map(written);
    Settings::new("smtps://me:hunter2@mail.example.com", from, to, subject, text)
}

#[test]
fn a_setting_that_cannot_be_meant_is_named() {
    let cases = [
        (Settings { url: "http://x".into(), ..settings() }, "url", "no address of a mail server"),
        (Settings { from: written("nobody"), ..settings() }, "from", "has an address that is none"),
        (Settings { cc: OneOrMany::One(written("nobody")), ..settings() }, "cc", "has an address that is none"),
        (Settings { text: None, ..settings() }, "text", "write at least one of them"),
        (Settings { max_connections: 0, ..settings() }, "max_connections", "at least 1"),
        (Settings { max_recipients: 0, ..settings() }, "max_recipients", "at least 1"),
        (Settings { attachments: Some("a..b".into()), ..settings() }, "attachments", "no path into the payload"),
        (Settings { headers: [("Bcc".into(), written("x"))].into(), ..settings() }, "headers", "sets itself"),
        (
            Settings { headers: [("no name".into(), written("x"))].into(), ..settings() },
            "headers",
            "no name of a header",
        ),
    ];
    for (settings, setting, says) in cases {
        let problem = Email::new(settings).expect_err("it cannot be meant");
        assert_eq!(problem.setting, setting, "{problem}");
        assert!(problem.text.contains(says) && !problem.text.contains("hunter2"), "{problem}");
    }
}

#[test]
fn neither_settings_nor_sink_show_a_password() {
    let shown = format!("{:?} {:?}", settings(), Email::new(settings()).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}
