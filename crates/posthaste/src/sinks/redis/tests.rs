use serde_json::json;

use super::names::StreamRule;
use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::sink::Delivery;

fn problem(settings: serde_json::Value) -> String {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    Redis::new(settings).map(drop).unwrap_err().to_string()
}

#[test]
fn settings_that_cannot_be_meant_are_refused_with_a_remedy_and_without_the_address() {
    let url = "redis://:hunter2@localhost";
    let cases = [
        (json!({ "url": "localhost:6379 hunter2", "stream": "s" }), "url is no address: write redis://"),
        (json!({ "url": [], "stream": "s" }), "url must be one address"),
        (json!({ "url": [url, url], "stream": "s" }), "url must be one address"),
        (json!({ "url": url }), "stream is missing"),
        (json!({ "url": url, "stream": "" }), "stream makes a name that is empty"),
        (json!({ "url": url, "stream": "a{{}}" }), "stream makes a name that has braces"),
        (json!({ "url": url, "channel": "c" }), "allow_lossy is not set, and a channel alone loses"),
        (json!({ "url": url, "stream": "s", "fields": { "payload": "{id}" } }), "fields has `payload`"),
        (
            json!({ "url": url, "stream": "s", "cluster": true, "sentinel": { "master": "m" } }),
            "sentinel and `cluster`",
        ),
        (json!({ "url": url, "stream": "s", "tls": { "ca": "/no/such" } }), "tls names /no/such, which cannot be read"),
        (json!({ "url": url, "stream": "s", "tls": { "key": "/no/such" } }), "tls needs both"),
    ];
    for (settings, expected) in cases {
        let says = problem(settings);
        assert!(says.starts_with(expected), "{says}");
        assert!(!says.contains("hunter2"), "{says}");
    }
}

#[test]
fn a_channel_alone_is_fine_for_those_who_say_so() {
    let settings = json!({ "url": "redis://localhost", "channel": "c", "allow_lossy": true });
    assert!(Redis::new(serde_json::from_value(settings).unwrap()).is_ok());
}

fn names(template: &str, message: Message) -> String {
    let template = crate::sink::template::Template::parse(template).unwrap();
    let delivery = Delivery::new(message, Position::START);
    let run = Run::new("bus", Partition::new(0), vec![delivery]);
    let stream = template.render(&StreamRule, &run, &run.deliveries[0]).unwrap();
    names::memory(&run, &run.key().unwrap(), &stream)
}

#[test]
fn what_is_known_of_a_key_is_on_the_node_of_its_stream_and_of_no_other_key() {
    let order = |id: &str| Message::builder("order.placed", "order", id);
    assert_eq!(names("s", order("1").build().unwrap()), "posthaste:{s}:bus:s::order/1");
    assert_eq!(
        names("{{shop}}:{aggregate_type}", order("1").build().unwrap()),
        "posthaste:{shop}:bus:{shop}%3Aorder::order/1"
    );
    let tenants = [order("1").tenant("a:b").key("c"), order("1").tenant("a").key("b:c")];
    let [one, other] = tenants.map(|message| names("s", message.build().unwrap()));
    assert_ne!(one, other);
}

#[test]
fn a_message_cannot_reach_another_stream() {
    let forged = Message::builder("order.placed", "order", "1").tenant("acme:orders}{").build().unwrap();
    let expected =
        "posthaste:{x:acme%3Aorders%7D%7B:order}:bus:x%3Aacme%253Aorders%257D%257B%3Aorder:acme%3Aorders}{:order/1";
    assert_eq!(names("x:{tenant}:{aggregate_type}", forged), expected);
}

#[test]
fn no_password_is_shown() {
    let settings = json!({
        "url": "redis://ann:hunter2@localhost", "stream": "s", "sentinel": { "master": "m", "password": "hunter2" }
    });
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let shown = format!("{settings:?} {:?}", Redis::new(settings.clone()).unwrap());
    assert!(shown.contains("localhost") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_duration_may_have_days() {
    let settings = |known_for: &str| {
        let settings = json!({ "url": "redis://localhost", "stream": "s", "repeats_known_for": known_for });
        serde_json::from_value::<Settings>(settings)
    };
    assert_eq!(settings("7d").unwrap().repeats_known_for.as_secs(), 7 * 86_400);
    let error = settings("7").unwrap_err().to_string();
    assert!(error.contains("`7` is not a duration: write a number with ms, s, m, h, d or w"), "{error}");
}
