use std::sync::Arc;
use std::time::Duration;

use rdkafka::message::Headers as _;
use serde_json::json;

use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message};
use crate::sink::template::Template;
use crate::sink::{Delivery, Verdict};

fn run(message: Builder) -> Run {
    let message = Arc::new(message.build().unwrap());
    let delivery = Delivery::new(message, Position::seq(7));
    Run::new("bus", Partition::new(3), vec![delivery])
}

fn order() -> Builder {
    Message::builder("order.placed", "order", "42")
        .occurred_at("2026-11-16T08:00:00.5Z".parse().unwrap())
        .payload(r#"{"a":1}"#, "application/json")
}

#[test]
fn fields_travel_in_key_timestamp_and_headers() {
    let settings = Settings::at("localhost:9092");
    let run = run(order().tenant("acme").header("x-note", "one").header("x-note", "two"));
    let (records, refused) = encode::records(&settings, &run);
    assert_eq!(refused, None);
    let native = records[0].native();
    assert_eq!((native.topic, native.key, native.payload), ("order", Some("order/42"), Some(&br#"{"a":1}"#[..])));
    assert_eq!(native.timestamp, Some(1_794_816_000_500));
    let headers = native.headers.unwrap();
    let text = |value: Option<&[u8]>| String::from_utf8(value.unwrap().to_vec()).unwrap();
    let pairs: Vec<_> = headers.iter().map(|header| (header.key.to_owned(), text(header.value))).collect();
    for (name, value) in [
        ("content-type", "application/json"),
        ("posthaste-event-type", "order.placed"),
        ("posthaste-tenant", "acme"),
        ("posthaste-position", "7"),
        ("x-note", "one"),
        ("x-note", "two"),
    ] {
        assert!(pairs.contains(&(name.to_owned(), value.to_owned())), "{name}: {pairs:?}");
    }
}

#[test]
fn no_message_makes_a_topic_that_the_template_does_not_mean() {
    let topic = |message: Builder| {
        let mut settings = Settings::at("localhost:9092");
        settings.topic = Template::parse("{tenant}.{event_type}").unwrap();
        let run = run(message);
        let (records, refused) = encode::records(&settings, &run);
        refused.map_or_else(|| Ok(records[0].topic.to_string()), Err)
    };
    assert_eq!(topic(order().tenant("acme")), Ok("acme.order.placed".into()));
    for tenant in ["acme.order", "a/b", "a b", "ü"] {
        let error = topic(order().tenant(tenant)).unwrap_err();
        assert_eq!(error.verdict, Verdict::Reject, "{tenant}");
        assert!(error.text().contains("{tenant} of this message contains"), "{error}");
    }
    assert!(topic(order()).unwrap_err().text().contains("this message has no {tenant}"));
    assert!(topic(order().tenant("x".repeat(240))).unwrap_err().text().contains("253 bytes long"));
}

fn problem(settings: serde_json::Value) -> Problem {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    Kafka::new(settings).unwrap_err()
}

#[test]
fn properties_that_a_promise_depends_on_are_refused_with_the_reason() {
    for (name, says) in [
        ("acks", "a message counts as delivered when"),
        ("request.required.acks", "(acks=all)"),
        ("enable.idempotence", "repeat and reorder"),
        ("partitioner", "Java clients"),
        ("delivery.timeout.ms", "the setting `timeout`"),
        ("transactional.id", "use the setting `transactional_id`"),
        ("bootstrap.servers", "use the setting `brokers`"),
    ] {
        let problem = problem(json!({ "brokers": "b", "properties": { name: "1" } }));
        assert_eq!(problem.setting, "properties");
        assert!(problem.text.contains(name) && problem.text.contains(says), "{problem}");
    }
    let unknown = problem(json!({ "brokers": "b", "properties": { "no.such.thing": "s3cret" } }));
    assert!(unknown.text.contains("no.such.thing") && !unknown.text.contains("s3cret"), "{unknown}");
    assert_eq!(problem(json!({ "brokers": " " })).setting, "brokers");
    let login = problem(json!({ "brokers": "relay:s3cret@b:9092" }));
    assert!(login.setting == "brokers" && login.text.contains("sasl.password"), "{login}");
    assert!(!login.text.contains("s3cret"), "{login}");
    assert_eq!(problem(json!({ "brokers": "b", "topic": "a/b" })).setting, "topic");
}

#[test]
fn dotted_names_are_taken_as_tables_and_as_texts_and_values_are_not_shown() {
    let properties = json!({ "linger": { "ms": 5 }, "sasl.password": "s3cret", "enable.random.seed": true });
    let settings: Settings = serde_json::from_value(json!({ "brokers": "b", "properties": properties })).unwrap();
    let pairs: Vec<_> = settings.properties.iter().collect();
    assert_eq!(pairs, [("enable.random.seed", "true"), ("linger.ms", "5"), ("sasl.password", "s3cret")]);
    let sink = Kafka::new(settings).unwrap();
    assert!(!format!("{sink:?}").contains("s3cret"), "{sink:?}");
}

#[tokio::test]
async fn an_outage_names_the_brokers_that_were_tried() {
    let brokers = "127.0.0.1:1,127.0.0.1:2";
    let settings = Settings { timeout: Duration::from_secs(3), ..Settings::at(brokers) };
    for transactional_id in [None, Some("relay".into())] {
        let sink = Kafka::new(Settings { transactional_id, ..settings.clone() }).unwrap();
        let delivered = sink.deliver(&run(order())).await.error.unwrap();
        for error in [delivered, sink.check().await.unwrap_err()] {
            assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
            assert!(error.text().starts_with(&format!("Kafka at {brokers} cannot be reached: ")), "{error}");
        }
    }
    let cluster = verdict::Cluster::at(brokers);
    for error in [cluster.silence(settings.timeout), cluster.interrupted()] {
        assert!(error.text().contains(&format!("Kafka at {brokers} ")), "{error}");
    }
}

/// Otherwise the records of a run that are handed over after the others were thrown away are sent before them.
#[test]
fn a_producer_that_was_given_up_takes_nothing_more() {
    let config = client_config::new(&Settings::at("localhost:1")).unwrap();
    let producer = CurrentProducer::new(config, Batches::Shared).producer().unwrap();
    assert_eq!(producer.unless_lost(|_| "taken"), Some("taken"));
    producer.give_up(producer.cluster.interrupted());
    producer.give_up(Error::unreachable("later"));
    assert_eq!(producer.unless_lost(|_| "taken"), None);
    assert_eq!(producer.lost(), Some(producer.cluster.interrupted()), "the first reason counts");
}
