//! CloudEvents as the HTTP binding wants them.

use posthaste::Message;
use posthaste::sink::format::Format;
use serde_json::{Value, json};

use super::answers::deliver;
use super::endpoint::{Endpoint, Request};
use super::settings;
use crate::sinks::changed;

fn message() -> Message {
    let message = Message::builder("order.created", "order", "ü 7").tenant("acme");
    message.payload(r#"{ "total" : 1.50 }"#, "application/json").build().expect("the message is valid")
}

async fn delivered(format: Format, message: &Message) -> Request {
    let endpoint = Endpoint::start().await;
    let settings = changed(settings(&format!("http://{}/", endpoint.address())), |settings| settings.format = format);
    assert_eq!(deliver(settings, message).await.error, None);
    endpoint.requests().remove(0)
}

#[tokio::test]
async fn in_binary_mode_attributes_are_headers_and_the_body_is_the_payload_byte_for_byte() {
    let message = message();
    let request = delivered(Format::CloudEventsBinary, &message).await;
    let id = message.id.to_string();
    let expected = [
        ("specversion", "1.0"),
        ("id", &id),
        ("type", "order.created"),
        ("source", "/order"),
        ("subject", "%C3%BC%207"),
    ];
    for (name, value) in expected {
        assert_eq!(request.header(&format!("ce-{name}")).as_deref(), Some(value), "{name}");
    }
    assert_eq!(request.header("content-type").as_deref(), Some("application/json"));
    assert_eq!(request.body, &*message.payload);
}

#[tokio::test]
async fn in_structured_mode_the_body_is_a_document_which_is_what_is_signed() {
    let message = message();
    let request = delivered(Format::CloudEvents, &message).await;
    let document: Value = serde_json::from_slice(&request.body).expect("a document");
    assert_eq!((&document["id"], &document["subject"]), (&json!(message.id), &json!("ü 7")));
    assert_eq!(
        (&document["data"], &document["datacontenttype"]),
        (&json!({ "total": 1.5 }), &json!("application/json"))
    );
    assert_eq!(request.header("content-type").as_deref(), Some("application/cloudevents+json"));
    assert_eq!(request.header("webhook-signature"), Some(super::answers::signature(&request, super::SECRET)));
}
