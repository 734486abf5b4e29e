//! What needs no provider: which settings are accepted, and what is shown.

use super::*;
use crate::sink::payload_template::Written;

fn settings() -> Settings {
    let [to, text] = ["{{ payload.to }}", "Hello"].map(|template| Written::parse(template).unwrap());
    Settings { twilio: Some(twilio()), ..Settings::new(to, text) }
}

fn twilio() -> Twilio {
    Twilio::new(format!("AC{}", "0".repeat(32)), "hunter2", "+15551234567")
}

fn form(url: &str) -> Form {
    Form { url: url.into(), format: BodyFormat::Form, fields: Default::default(), headers: Default::default() }
}

#[test]
fn a_setting_that_cannot_be_meant_is_named() {
    let of_twilio = |twilio| Settings { twilio: Some(twilio), ..settings() };
    let of_form = |form| Settings { twilio: None, form: Some(form), ..settings() };
    let cases = [
        (Settings { twilio: None, ..settings() }, "twilio", "write one of them"),
        (Settings { form: Some(form("https://x.org")), ..settings() }, "twilio", "write one of them"),
        (of_twilio(Twilio { account: "me".into(), ..twilio() }), "twilio", "AC and 32 digits"),
        (of_twilio(Twilio { from: None, ..twilio() }), "twilio", "needs one of"),
        (of_twilio(Twilio { messaging_service: Some("MG1".into()), ..twilio() }), "twilio", "needs one of"),
        (of_twilio(Twilio { url: "http://127.0.0.1".into(), ..twilio() }), "twilio", "not public"),
        (of_form(form("https://me:hunter2@x.org")), "form", "user or password"),
        (of_form(form("http://10.0.0.7/send")), "form", "not public"),
        (Settings { to: Written::parse("911").unwrap(), ..settings() }, "to", "international form"),
        (Settings { max_parts: 0, ..settings() }, "max_parts", "at least 1"),
    ];
    for (settings, setting, says) in cases {
        let problem = Sms::new(settings).expect_err("it cannot be meant");
        assert_eq!(problem.setting, setting, "{problem}");
        assert!(problem.text.contains(says) && !problem.text.contains("hunter2"), "{problem}");
    }
}

#[test]
fn neither_settings_nor_sink_show_a_token() {
    let shown = format!("{:?} {:?}", settings(), Sms::new(settings()).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}
