use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;

const HTTP: Dialect = Dialect { cloudevents_prefix: "ce-", cloudevents_encoded: true, reserved: &["host"] };

fn run(message: crate::message::Builder) -> Run {
    let message = Arc::new(message.build().unwrap());
    let delivery = Delivery::new(message, Position { tick: 2, seq: 7 });
    Run::new("bus", Partition::new(3), vec![delivery])
}

fn rich() -> crate::message::Builder {
    Message::builder("order.placed", "order", "ü 1")
        .id("0190163d-8694-739b-aea5-966c26f8ad91".parse().unwrap())
        .occurred_at("2026-11-16T08:00:00Z".parse().unwrap())
        .payload(r#"{ "a": 1.50 }"#, "application/json")
        .tenant("acme")
        .correlation_id("c-1")
        .header("x-note", "n")
        .traceparent("00-1")
}

fn lines(formatted: &Formatted<'_>) -> Vec<String> {
    formatted.all_headers().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn plain_is_the_payload_with_attributes_and_the_headers_of_the_message() {
    let run = run(rich());
    let formatted = Format::Plain.apply(HTTP, &run, &run.deliveries[0]).unwrap();
    assert_eq!(formatted.content_type, "application/json");
    assert_eq!(&formatted.body[..], br#"{ "a": 1.50 }"#);
    let expected = [
        "posthaste-id: 0190163d-8694-739b-aea5-966c26f8ad91",
        "posthaste-event-type: order.placed",
        "posthaste-aggregate-type: order",
        "posthaste-aggregate-id: ü 1",
        "posthaste-key: order/ü 1",
        "posthaste-tenant: acme",
        "posthaste-correlation-id: c-1",
        "posthaste-destination: bus",
        "posthaste-occurred-at: 2026-11-16T08:00:00Z",
        "posthaste-position: 2.7",
        "x-note: n",
        "traceparent: 00-1",
    ];
    assert_eq!(lines(&formatted), expected);
}

#[test]
fn a_binary_cloudevent_is_the_payload_with_the_attributes_of_cloudevents() {
    let run = run(rich());
    let formatted = Format::CloudEventsBinary.apply(HTTP, &run, &run.deliveries[0]).unwrap();
    assert_eq!(formatted.content_type, "application/json");
    assert_eq!(&formatted.body[..], br#"{ "a": 1.50 }"#);
    let expected = [
        "ce-specversion: 1.0",
        "ce-id: 0190163d-8694-739b-aea5-966c26f8ad91",
        "ce-source: /order",
        "ce-time: 2026-11-16T08:00:00Z",
        "ce-position: 2.7",
        "ce-type: order.placed",
        "ce-subject: %C3%BC%201",
        "ce-aggregatetype: order",
        "ce-partitionkey: order/%C3%BC%201",
        "ce-tenant: acme",
        "ce-correlationid: c-1",
        "ce-traceparent: 00-1",
        "x-note: n",
        "traceparent: 00-1",
    ];
    assert_eq!(lines(&formatted), expected);
}

#[test]
fn a_binding_without_encoding_gets_the_text_as_it_is() {
    let (run, kafka) = (run(rich()), Dialect { cloudevents_prefix: "ce_", cloudevents_encoded: false, reserved: &[] });
    let formatted = Format::CloudEventsBinary.apply(kafka, &run, &run.deliveries[0]).unwrap();
    assert!(lines(&formatted).contains(&"ce_subject: ü 1".to_owned()));
}

fn document(message: crate::message::Builder) -> (Value, String) {
    let run = run(message);
    let formatted = Format::CloudEvents.apply(HTTP, &run, &run.deliveries[0]).unwrap();
    assert_eq!(formatted.content_type, "application/cloudevents+json");
    let text = String::from_utf8(formatted.body.to_vec()).unwrap();
    (serde_json::from_str(&text).unwrap(), text)
}

#[test]
fn a_structured_cloudevent_holds_everything_and_json_as_it_was_written() {
    let (document, text) = document(rich());
    let expected = json!({
        "specversion": "1.0", "id": "0190163d-8694-739b-aea5-966c26f8ad91", "source": "/order", "type": "order.placed",
        "subject": "ü 1", "time": "2026-11-16T08:00:00Z", "position": "2.7", "aggregatetype": "order",
        "partitionkey": "order/ü 1", "tenant": "acme", "correlationid": "c-1", "traceparent": "00-1",
        "datacontenttype": "application/json", "data": { "a": 1.5 },
    });
    assert_eq!(document, expected);
    assert!(text.contains(r#""data":{ "a": 1.50 }"#), "{text}");
}

#[test]
fn in_a_structured_cloudevent_every_payload_can_be_got_back() {
    let data = |payload: &[u8], content_type: &str| {
        let (document, _) = document(rich().payload(payload.to_vec(), content_type));
        (document.get("data").cloned(), document.get("data_base64").cloned())
    };
    assert_eq!(data(b"a \"text\"\n", "text/plain"), (Some("a \"text\"\n".into()), None));
    assert_eq!(data(b"", "text/plain"), (Some("".into()), None));
    assert_eq!(data(b"\xff", "text/plain"), (None, Some("/w==".into())));
    // A string in `data` would be a JSON string to the consumer, not these bytes.
    assert_eq!(data(b"not json", "application/json"), (None, Some("bm90IGpzb24=".into())));
    assert_eq!(data(b"{}\n", "application/json"), (None, Some("e30K".into())));
}

#[test]
fn a_message_cannot_bring_an_attribute_as_a_header() {
    let refused = |format: Format, name: &str| {
        let run = run(rich().header(name, "forged"));
        let error = format.apply(HTTP, &run, &run.deliveries[0]).err()?;
        assert_eq!(error.verdict, crate::sink::Verdict::Reject);
        assert!(error.text().contains(name) && !error.text().contains("forged"), "{error}");
        Some(())
    };
    for name in ["posthaste-id", "Posthaste-Tenant", "POSTHASTE-anything", "content-type", "Host"] {
        assert!(refused(Format::Plain, name).is_some(), "{name}");
    }
    assert!(refused(Format::CloudEventsBinary, "Ce-Type").is_some());
    assert!(refused(Format::Plain, "ce-type").is_none());
    assert!(refused(Format::CloudEvents, "x-posthaste-id").is_none());
}

#[test]
fn a_message_cannot_bring_a_header_inside_of_another_one() {
    let forged = |change: fn(&mut Message)| {
        let mut run = run(rich());
        change(Arc::get_mut(&mut run.deliveries[0].message).unwrap());
        Format::Plain.apply(HTTP, &run, &run.deliveries[0]).map(drop).unwrap_err().verdict
    };
    let changes: [fn(&mut Message); 4] = [
        |message| message.headers.push("x-note", "a\r\nposthaste-tenant: other"),
        |message| message.headers.push("x-note\nx-other", "a"),
        |message| message.correlation_id = Some("a\nb".into()),
        |message| message.content_type = "text/plain\r\nx: y".into(),
    ];
    for change in changes {
        assert_eq!(forged(change), crate::sink::Verdict::Reject);
    }
}

/// No message that the library builds has one; one that was written by hand may.
#[test]
fn a_control_character_of_any_kind_is_refused_and_its_neighbours_are_not() {
    let with = |value: &str| {
        let mut message = rich().build().unwrap();
        message.correlation_id = Some(value.into());
        let delivery = Delivery { message: Arc::new(message), ..run(rich()).deliveries.remove(0) };
        let run = Run { deliveries: vec![delivery], ..run(rich()) };
        Format::Plain.apply(HTTP, &run, &run.deliveries[0]).map(drop)
    };
    for unfit in ["a\tb", "a\nb", "\u{7F}", "a\u{80}", "\u{85}b", "\u{9F}"] {
        let refusal = with(unfit).unwrap_err().to_string();
        assert!(refusal.contains("contains a control character"), "{unfit:?}: {refusal}");
    }
    for fit in [" ", "~", "a\u{A0}b", "¢", "Â", "é", "日本", "🦀"] {
        assert!(with(fit).is_ok(), "{fit:?}");
    }
}
