//! CloudEvents as the Kafka binding wants them, read by a consumer that knows nothing of the sink.

use posthaste::Message;
use posthaste::sink::format::Format;
use serde_json::{Value, json};

use super::KafkaUnderTest;
use super::topic::Record;
use crate::sinks::key;

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn message() -> Message {
    let message =
        Message::builder("order.paid", "order", "4711").occurred_at("2026-11-16T08:00:00.5Z".parse().unwrap());
    let message = message.tenant("ümlaut & co").correlation_id("c-1").header("traceparent", TRACEPARENT);
    message.payload(r#"{ "total" : 1.50 }"#, "application/json").build().unwrap()
}

/// Delivers messages in this format, and returns what lies in the topic.
async fn records(format: Format, messages: &[Message]) -> Vec<Record> {
    let t = KafkaUnderTest::new(|settings| settings.format = format).await;
    key::deliver(&*t.sink, messages).await;
    t.topic.records().await
}

/// What both modes say, whatever comes before the name.
fn expected(message: &Message) -> Vec<(&'static str, String)> {
    let texts = [
        ("specversion", "1.0"),
        ("source", "/order"),
        ("type", "order.paid"),
        ("subject", "4711"),
        ("time", "2026-11-16T08:00:00.5Z"),
        ("partitionkey", "order/4711"),
        ("tenant", "ümlaut & co"),
        ("correlationid", "c-1"),
        ("traceparent", TRACEPARENT),
        ("position", "1"),
    ];
    texts.map(|(name, value)| (name, value.to_owned())).into_iter().chain([("id", message.id.to_string())]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn in_binary_mode_attributes_are_headers_and_the_value_is_the_payload_byte_for_byte() {
    let message = message();
    let records = records(Format::CloudEventsBinary, std::slice::from_ref(&message)).await;
    let [record] = records.as_slice() else { panic!("one message is one record: {records:?}") };
    for (name, value) in expected(&message) {
        assert_eq!(record.header(&format!("ce_{name}")), Some(value.as_str()), "{name}");
    }
    assert_eq!(record.header("content-type"), Some("application/json"));
    assert_eq!(record.header("traceparent"), Some(TRACEPARENT), "headers stay headers");
    assert_eq!((record.key.as_deref(), record.value.as_slice()), (Some("order/4711"), &*message.payload));
}

#[tokio::test(flavor = "multi_thread")]
async fn in_structured_mode_the_value_is_a_document_with_attributes_and_payload() {
    let message = message();
    let binary = Message::builder("order.paid", "order", "4711").payload(vec![0, 159, 146], "image/png");
    let records = records(Format::CloudEvents, &[message.clone(), binary.build().unwrap()]).await;
    let [first, second] = records.as_slice() else { panic!("two messages are two records: {records:?}") };
    let document: Value = serde_json::from_slice(&first.value).unwrap();
    for (name, value) in expected(&message) {
        assert_eq!(document[name], json!(value), "{name}");
    }
    assert_eq!(
        (&document["datacontenttype"], &document["data"]),
        (&json!("application/json"), &json!({ "total": 1.5 }))
    );
    assert!(
        first.value.windows(message.payload.len()).any(|part| part == &*message.payload),
        "JSON is not written anew"
    );
    assert_eq!(first.header("content-type"), Some("application/cloudevents+json"));
    assert!(first.headers.iter().all(|(name, _)| !name.starts_with("ce_")), "{:?}", first.headers);
    assert_eq!(first.key.as_deref(), Some("order/4711"));
    let document: Value = serde_json::from_slice(&second.value).unwrap();
    assert_eq!((&document["data_base64"], &document["datacontenttype"]), (&json!("AJ+S"), &json!("image/png")));
}
