use serde_json::json;

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::sink::Delivery;
use crate::sink::template::Template;

#[test]
fn settings_that_cannot_be_meant_are_refused_with_a_remedy_and_without_the_address() {
    let url = "nats://ann:hunter2@localhost";
    let cases = [
        (json!({ "url": "http://hunter2@localhost", "subject": "s" }), "url is no address: write nats://"),
        (json!({ "url": [], "subject": "s" }), "url is empty"),
        (json!({ "url": url, "subject": "" }), "subject makes a subject that has an empty part"),
        (json!({ "url": url, "subject": "a..b" }), "subject makes a subject that has an empty part"),
        (json!({ "url": url, "subject": "a.*" }), "subject makes a subject that contains a space or a wildcard"),
        (json!({ "url": url, "subject": "s", "tls": { "key": "k.pem" } }), "tls needs both"),
        (
            json!({ "url": url, "subject": "s", "credentials": "/no/such" }),
            "credentials is /no/such, which cannot be read",
        ),
    ];
    for (settings, expected) in cases {
        let settings: Settings = serde_json::from_value(settings).unwrap();
        let says = Nats::new(settings).map(drop).unwrap_err().to_string();
        assert!(says.starts_with(expected), "{says}");
        assert!(!says.contains("hunter2"), "{says}");
    }
}

#[test]
fn nothing_of_an_address_but_host_and_port_is_shown() {
    let settings = Settings::new("nats://ann:hunter2@[::1]:4333", Template::parse("s").unwrap());
    let shown = format!("{:?} {settings:?}", Nats::new(settings.clone()).unwrap());
    assert!(shown.contains("[::1]:4333") && !shown.contains("hunter2") && !shown.contains("ann"), "{shown}");
}

fn subject(template: &str, message: Message) -> Result<String, String> {
    let template = Template::parse(template).unwrap();
    let delivery = Delivery::new(message, Position::START);
    let run = Run::new("bus", Partition::new(0), vec![delivery]);
    let rendered = template.render(&SubjectRule, &run, &run.deliveries[0]);
    rendered.map(|subject| subject.into_owned()).map_err(|error| error.text().to_owned())
}

#[test]
fn a_message_cannot_reach_another_subject() {
    let order = |id: &str| Message::builder("order.placed", "order", id).build().unwrap();
    assert_eq!(subject("shop.{event_type}.{aggregate_id}", order("1")).unwrap(), "shop.order.placed.1");
    assert_eq!(subject("shop.{key}", order("a.b >*\u{e9}%$JS")).unwrap(), "shop.order/a%2Eb%20%3E%2A%C3%A9%25%24JS");
    let mut odd = order("1");
    odd.event_type = "order..placed".into();
    assert!(subject("{event_type}", odd).unwrap_err().contains("has an empty part"));
}
