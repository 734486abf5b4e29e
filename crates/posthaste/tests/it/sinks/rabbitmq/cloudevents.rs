//! CloudEvents as the AMQP binding wants them, read by a consumer that knows nothing of the sink.

use lapin::message::Delivery;
use lapin::types::AMQPValue;
use posthaste::Message;
use posthaste::sink::format::Format;
use serde_json::{Value, json};

use super::RabbitmqUnderTest;
use crate::sinks::key;

fn message() -> Message {
    let message = Message::builder("account.changed", "account", "ü 7").tenant("acme").correlation_id("c-1");
    message.payload(r#"{ "total" : 1.50 }"#, "application/json").build().unwrap()
}

async fn delivered(format: Format, message: &Message) -> Delivery {
    let t = RabbitmqUnderTest::new(|settings| settings.format = format).await;
    key::deliver(&*t.sink, std::slice::from_ref(message)).await;
    t.consumer.next().await.expect("it has arrived")
}

fn content_type(delivery: &Delivery) -> Option<&str> {
    delivery.properties.content_type().as_ref().map(|text| text.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn in_binary_mode_attributes_are_headers_and_the_body_is_the_payload_byte_for_byte() {
    let message = message();
    let delivery = delivered(Format::CloudEventsBinary, &message).await;
    let headers = delivery.properties.headers().clone().unwrap();
    for (name, value) in [
        ("specversion", "1.0"),
        ("id", &message.id.to_string()),
        ("type", "account.changed"),
        ("source", "/account"),
        ("subject", "ü 7"),
        ("tenant", "acme"),
        ("correlationid", "c-1"),
        ("partitionkey", "account/ü 7"),
    ] {
        let found = headers.inner().get(format!("cloudEvents:{name}").as_str());
        assert_eq!(found, Some(&AMQPValue::LongString(value.into())), "{name}");
    }
    assert_eq!((content_type(&delivery), delivery.data.as_slice()), (Some("application/json"), &*message.payload));
}

#[tokio::test(flavor = "multi_thread")]
async fn in_structured_mode_the_body_is_a_document_with_attributes_and_payload() {
    let message = message();
    let delivery = delivered(Format::CloudEvents, &message).await;
    let document: Value = serde_json::from_slice(&delivery.data).unwrap();
    assert_eq!((&document["id"], &document["subject"]), (&json!(message.id), &json!("ü 7")));
    assert_eq!(
        (&document["data"], &document["datacontenttype"]),
        (&json!({ "total": 1.5 }), &json!("application/json"))
    );
    assert_eq!(content_type(&delivery), Some("application/cloudevents+json"));
}
