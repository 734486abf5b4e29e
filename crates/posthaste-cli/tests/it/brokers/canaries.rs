//! On the way to brokers nothing that a message carries, and no password, is logged: not when it arrives, not when it is refused, and
//! not by the brokers' clients.

use std::fmt::Write;

use crate::program::{Place, Relay, until};
use crate::servers::address;

const PAYLOAD: &str = "canary-payload-1b7e";
const HEADER: &str = "canary-header-9d04";
const PASSWORD: &str = "canary-password-77f2";

/// A relay that says all it can say, at its destinations for a message with canaries.
fn relay(place: &Place, destinations: &[(&str, String)]) -> Relay {
    let mut config = String::from("log.format = 'json'\n");
    for (kind, settings) in destinations {
        writeln!(config, "destinations.{kind} = {{ type = '{kind}', timeout = '20s', {kind} = {{ {settings} }} }}")
            .unwrap();
    }
    place.write("posthaste.toml", &config);
    let header = format!("x-session={HEADER}");
    place.enqueue("order/1", ["--payload", &format!("{{\"card\": \"{PAYLOAD}\"}}"), "--header", &header]);
    Relay::start(place.command().arg("-vv"))
}

/// Waits until something became of the message at each destination, and looks for canaries in the log.
fn assert_clean(relay: Relay, destinations: &[(&str, String)], became: &[&str]) {
    let told = |kind: &str| {
        let names = format!("\"destination\":\"{kind}\"");
        relay.logged().lines().any(|line| line.contains(&names) && became.iter().any(|text| line.contains(text)))
    };
    for (kind, _) in destinations {
        until(&format!("something became of it at {kind}"), || told(kind));
    }
    relay.signal("TERM");
    until("it has stopped", || relay.logged().contains("relay stopped"));
    let logged = relay.logged();
    for canary in [PAYLOAD, HEADER, PASSWORD] {
        let lines: Vec<_> = logged.lines().filter(|line| line.contains(canary)).collect();
        assert!(lines.is_empty(), "{canary}: {lines:#?}");
    }
    // Bytes that are logged as numbers are no secret either.
    let bytes = format!("{:?}", PAYLOAD.as_bytes());
    assert!(!logged.contains(bytes.trim_matches(['[', ']'])), "the payload, byte by byte");
}

#[test]
fn what_arrives_or_is_refused_is_not_logged() {
    let place = Place::migrated();
    let name = format!("canaries-{}", uuid::Uuid::now_v7().simple());
    // The first two take it; the other two know neither topic nor stream.
    let destinations = [
        (
            "rabbitmq",
            format!(
                "url = 'amqp://guest:guest@{}', routing_key = '{name}', declare.queues = [{{ name = '{name}' }}]",
                address("rabbitmq")
            ),
        ),
        ("redis", format!("url = 'redis://{}', stream = '{name}'", address("redis"))),
        ("kafka", format!("brokers = '{}', topic = '{name}', timeout = '8s'", address("kafka"))),
        ("nats", format!("url = 'nats://{}', subject = '{name}'", address("nats"))),
    ];
    assert_clean(relay(&place, &destinations), &destinations, &["SENT", "FAILED", "out of reach"]);
}

#[test]
fn what_no_queue_takes_is_not_logged() {
    let place = Place::migrated();
    let url = format!("amqp://guest:guest@{}", address("rabbitmq"));
    let destinations = [("rabbitmq", format!("url = '{url}', routing_key = 'nobody-listens'"))];
    assert_clean(relay(&place, &destinations), &destinations, &["FAILED"]);
}

#[test]
fn passwords_of_brokers_that_cannot_be_reached_are_not_logged() {
    let place = Place::migrated();
    let destinations = [
        ("rabbitmq", format!("url = 'amqp://zoe:{PASSWORD}@127.0.0.1:1', routing_key = 'x'")),
        ("redis", format!("url = 'redis://zoe:{PASSWORD}@127.0.0.1:1', stream = 'x'")),
        ("kafka", format!("brokers = '127.0.0.1:1', topic = 'x', properties = {{ 'sasl.password' = '{PASSWORD}' }}")),
        ("nats", format!("url = 'nats://zoe:{PASSWORD}@127.0.0.1:1', subject = 'x'")),
    ];
    assert_clean(relay(&place, &destinations), &destinations, &["out of reach"]);
}

#[test]
fn passwords_that_brokers_refuse_are_not_logged() {
    let place = Place::migrated();
    let url = format!("amqp://zoe:{PASSWORD}@{}", address("rabbitmq"));
    let destinations = [("rabbitmq", format!("url = '{url}', routing_key = 'x'"))];
    assert_clean(relay(&place, &destinations), &destinations, &["out of reach"]);
}
