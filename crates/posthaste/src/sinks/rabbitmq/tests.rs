use std::sync::Arc;

use lapin::types::AMQPValue;

use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message};
use crate::sink::format::Format;
use crate::sink::template::Template;
use crate::sink::{Delivery, Verdict};

fn publication(message: Builder, change: impl FnOnce(&mut Settings)) -> Result<Publication, Error> {
    let mut settings = Settings::at("amqp://localhost");
    change(&mut settings);
    let message = Arc::new(message.build().unwrap());
    let delivery = Delivery::new(message, Position::seq(7));
    let run = Run::new("bus", Partition::new(3), vec![delivery]);
    let (mut publications, refused) = encode::publications(&settings, &run);
    publications.pop().ok_or_else(|| refused.unwrap())
}

fn order() -> Builder {
    Message::builder("order.placed", "order", "42")
        .id("0190163d-8694-739b-aea5-966c26f8ad91".parse().unwrap())
        .occurred_at("2026-11-16T08:00:00.5Z".parse().unwrap())
        .payload(r#"{"a":1}"#, "application/json")
}

fn text(publication: &Publication, header: &str) -> Option<String> {
    match publication.properties.headers().as_ref()?.inner().get(header)? {
        AMQPValue::LongString(text) => Some(text.to_string()),
        other => panic!("{header} is {other:?}"),
    }
}

#[test]
fn fields_travel_in_native_properties_and_the_rest_in_headers() {
    let publication = publication(order().tenant("acme").correlation_id("c-1").traceparent("00-1"), |_| ()).unwrap();
    let properties = &publication.properties;
    let native = [properties.message_id(), properties.kind(), properties.correlation_id(), properties.content_type()];
    let native = native.map(|value| value.as_ref().unwrap().as_str());
    assert_eq!(native, ["0190163d-8694-739b-aea5-966c26f8ad91", "order.placed", "c-1", "application/json"]);
    assert_eq!((*properties.timestamp(), *properties.delivery_mode()), (Some(1_794_816_000), Some(2)));
    for (header, value) in [
        ("posthaste-key", "order/42"),
        ("posthaste-tenant", "acme"),
        ("posthaste-position", "7"),
        ("posthaste-occurred-at", "2026-11-16T08:00:00.5Z"),
        ("traceparent", "00-1"),
    ] {
        assert_eq!(text(&publication, header).as_deref(), Some(value), "{header}");
    }
    assert_eq!(
        (publication.exchange(), publication.routing_key(), &publication.body[..]),
        ("", "order.placed", &br#"{"a":1}"#[..])
    );
}

#[test]
fn cloudevents_have_the_prefix_of_the_amqp_binding() {
    let publication = publication(order(), |settings| settings.format = Format::CloudEventsBinary).unwrap();
    assert_eq!(text(&publication, "cloudEvents:type").as_deref(), Some("order.placed"));
    assert_eq!(text(&publication, "cloudEvents:specversion").as_deref(), Some("1.0"));
}

#[test]
fn no_message_adds_a_word_or_a_wildcard_to_a_routing_key() {
    let key = |message: Builder| {
        let template = Template::parse("{tenant}.{event_type}.{aggregate_id}").unwrap();
        publication(message, |settings| settings.routing_key = template).unwrap().routing_key().to_owned()
    };
    assert_eq!(key(order().tenant("acme")), "acme.order.placed.42");
    assert_eq!(key(order().tenant("a.order.placed.#")), "a%2Eorder%2Eplaced%2E%23.order.placed.42");
}

#[test]
fn no_message_routes_itself_elsewhere_by_a_header() {
    for name in ["CC", "BCC", "cc", "posthaste-key"] {
        let error = publication(order().header(name, "elsewhere"), |_| ()).unwrap_err();
        assert_eq!(error.verdict, Verdict::Reject, "{name}");
    }
}

#[test]
fn what_is_too_long_for_amqp_is_rejected_with_its_name() {
    let long = "x".repeat(256);
    let template = Template::parse(&format!("{{event_type}}{}", "x".repeat(250))).unwrap();
    let routing_key = publication(order(), |settings| settings.routing_key = template).unwrap_err();
    let header = publication(order().header(long, "v"), |_| ()).unwrap_err();
    for (error, says) in [(routing_key, "262 bytes long"), (header, "header name is 256 bytes long")] {
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(error.text().contains(says), "{error}");
    }
}

#[test]
fn settings_that_cannot_be_meant_are_named() {
    let problem = |change: fn(&mut Settings)| {
        let mut settings = Settings::at("amqp://localhost");
        change(&mut settings);
        Rabbitmq::new(settings).unwrap_err().setting
    };
    assert_eq!(problem(|settings| settings.client_key_file = Some("key.pem".into())), "client_cert_file");
    assert_eq!(problem(|settings| settings.ca_file = Some("/no/such/file".into())), "ca_file");
    assert_eq!(problem(|settings| settings.exchange = Template::literal(&"x".repeat(256))), "exchange");
}

#[tokio::test]
async fn a_broker_that_cannot_be_reached_is_named_by_its_address_without_the_password() {
    let sink = Rabbitmq::new(Settings::at("amqp://guest:s3cret@127.0.0.1:1/shop")).unwrap();
    let error = sink.check().await.unwrap_err();
    assert!(error.text().starts_with("RabbitMQ at 127.0.0.1:1 cannot be reached: "), "{error}");
    assert!(error.text().contains("refused") && !error.text().contains("s3cret"), "{error}");
}

#[test]
fn no_password_is_shown() {
    let settings = Settings::at("amqp://ann:hunter2@localhost/shop");
    let shown = format!("{settings:?} {:?}", Rabbitmq::new(settings.clone()).unwrap());
    assert!(shown.contains("localhost") && !shown.contains("hunter2"), "{shown}");
}
