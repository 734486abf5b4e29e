//! Payloads that want to be more than text.

use posthaste::sink::Verdict;
use posthaste::sinks::sms::{BodyFormat, Sms};
use serde_json::json;

use super::provider::{self, Provider};
use super::twilio;
use crate::servers;
use crate::sinks::changed;
use crate::sinks::everything::{HOSTILE, deliver, order, refusal, written};

/// What is left of it: its words, on lines that end as lines do.
fn harmless(text: &str) -> bool {
    let marks = ['\u{202e}', '\u{2066}', '\u{200f}', '\u{0}', '\u{1b}', '\r'];
    text.starts_with("T x\nBcc: evil@example.com\n\n<script>")
        && text.ends_with("{{ id }}{% raw %} E")
        && !text.contains(marks)
}

#[tokio::test]
async fn nothing_is_injected_into_a_text_at_twilio() {
    let to = twilio::nobodys();
    let long = changed(twilio::settings(&servers::address("twilio"), &to, "T {{ payload.x }} E"), |settings| {
        settings.max_parts = 20;
    });
    let sink = Sms::new(long).expect("the settings are good");
    let outcome = deliver(&sink, &order(&json!({ "x": HOSTILE })).build().unwrap(), None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
    let texts = twilio::texts_to(&to).await;
    assert!(texts.len() == 1 && harmless(&texts[0]), "{texts:?}");
}

#[tokio::test]
async fn nothing_is_injected_into_a_form() {
    for format in [BodyFormat::Form, BodyFormat::Json] {
        let provider = Provider::start().await;
        let settings =
            changed(provider::settings(provider.address, format, "+15551112222", "T {{ payload.x }} E"), |settings| {
                let fields = &mut settings.form.as_mut().unwrap().fields;
                fields.insert("note".into(), written("{{ payload.y }}"));
            });
        let sink = Sms::new(settings).expect("the settings are good");
        let payload = json!({ "x": HOSTILE, "y": "1&to=+15559999999&message=evil\",\"to\":\"+15559999999" });
        let outcome = deliver(&sink, &order(&payload).build().unwrap(), None).await;
        assert!(outcome.error.is_none(), "{outcome:?}");
        let (_, fields) = provider.got().remove(0);
        assert_eq!((fields.len(), fields["to"].as_str()), (3, "+15551112222"));
        assert!(harmless(&fields["message"]), "{fields:?}");
    }
}

#[tokio::test]
async fn a_value_in_a_number_is_a_number_or_a_reject_that_does_not_show_it() {
    let sink = Sms::new(twilio::settings(&servers::address("twilio"), "{{ payload.to }}", "x")).expect("good settings");
    for to in ["+15551112222,+15553334444", "+15551112222\r\nTo: +15553334444", "whatsapp:+15551112222", HOSTILE] {
        let error = refusal(&sink, &order(&json!({ "to": to })).build().unwrap()).await;
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(!error.text().contains("1112222"), "{error}");
    }
}
