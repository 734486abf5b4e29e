//! What needs no service: which settings are accepted, and what is shown.

use super::*;
use crate::sink::payload_template::Written;

fn written(template: &str) -> Written {
    Written::parse(template).unwrap()
}

fn settings() -> Settings {
    Settings { webhook: Some("https://hooks.example.com/hunter2".into()), ..Settings::new(written("Hello")) }
}

#[test]
fn a_setting_that_cannot_be_meant_is_named() {
    let cases = [
        (Settings { webhook: None, ..settings() }, "webhook", "write one of them"),
        (Settings { token: Some("hunter2".into()), ..settings() }, "webhook", "write one of them"),
        (Settings { webhook: None, token: Some("hunter2".into()), ..settings() }, "channel", "is missing"),
        (Settings { webhook: Some("http://127.0.0.1/hunter2".into()), ..settings() }, "webhook", "not public"),
        (Settings { webhook: Some("hunter2".into()), ..settings() }, "webhook", "cannot be parsed"),
        (Settings { thread: true, ..settings() }, "thread", "needs a `token`"),
        (Settings { speaks: Speaks::Discord, blocks: Some(written("[]")), ..settings() }, "blocks", "are Slack's"),
    ];
    for (settings, setting, says) in cases {
        let problem = Slack::new(settings).expect_err("it cannot be meant");
        assert_eq!(problem.setting, setting, "{problem}");
        assert!(problem.text.contains(says) && !problem.text.contains("hunter2"), "{problem}");
    }
}

#[test]
fn neither_settings_nor_sink_show_a_webhook() {
    let shown = format!("{:?} {:?}", settings(), Slack::new(settings()).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}
