//! What is made of the events of a source.

use super::super::mapping::{Mapping, payload};
use crate::message::Message;
use crate::source::rules::{Rule, Rules};
use crate::source::{Checkpoint, Event, Mapper};

fn event() -> Event {
    let checkpoint = Checkpoint::new("1").expect("a checkpoint");
    Event::new(checkpoint, "payment-7", "e-1", "payment.completed.v1")
        .data(r#"{"id":7,"amount":5.10,"card":"canary"}"#, "application/json")
        .metadata(r#"{"correlationId":"c-1","tenantId":"acme","headers":{"channel":"web"}}"#)
        .revision(3)
}

fn map(source: &str) -> Result<Vec<Message>, String> {
    Mapping::new(source).expect(source).map(&event()).map_err(|wrong| wrong.to_string())
}

fn one(source: &str) -> Message {
    let mut made = map(source).expect(source);
    assert_eq!(made.len(), 1, "{source}");
    made.remove(0)
}

#[test]
fn what_a_mapping_does_not_say_is_as_the_event_has_it() {
    let made = one("{}");
    assert_eq!((made.event_type.as_str(), made.key.as_deref()), ("payment.completed.v1", Some("payment-7")));
    assert_eq!((made.tenant.as_deref(), made.correlation_id.as_deref()), (Some("acme"), Some("c-1")));
    assert_eq!(made.payload.as_ref(), event().data.as_ref());
    let made = one(r#"{event_type: "paid", payload: (.data | {id, amount}), tenant: null, key: .data.id}"#);
    assert_eq!((made.event_type.as_str(), made.key.as_deref(), made.tenant), ("paid", Some("7"), None));
    assert_eq!(made.payload.as_ref(), br#"{"id":7,"amount":5.10}"#);
    assert_eq!(made.headers.get("channel"), Some("web"), "headers stay");
}

#[test]
fn a_mapping_sees_all_of_the_event() {
    let made = one(r#"{
        payload: {stream, id, revision, data_encoding, of: .metadata.tenantId},
        aggregate_type: "payment", aggregate_id: .data.id, user: "ann",
        headers: {n: 1, channel: .metadata.headers.channel},
        occurred_at: "2026-11-02T03:04:05Z", due_at: "2026-11-03T03:04:05Z"
    }"#);
    let payload = r#"{"stream":"payment-7","id":"e-1","revision":3,"data_encoding":"json","of":"acme"}"#;
    assert_eq!(String::from_utf8_lossy(&made.payload), payload);
    assert_eq!((made.key.as_deref(), made.user.as_deref()), (Some("payment/7"), Some("ann")));
    assert_eq!(made.due_at.expect("it has one").to_string(), "2026-11-03T03:04:05Z");
    assert_eq!((made.headers.get("n"), made.headers.get("idempotencyKey")), (Some("1"), None));
    let made = one(r#"{payload: "a,b", payload_encoding: "text", content_type: "text/csv"}"#);
    assert_eq!((made.payload.as_ref(), made.content_type.as_str()), (&b"a,b"[..], "text/csv"));
}

#[test]
fn an_event_becomes_as_many_messages_as_there_are_results_and_none_ignores_it() {
    for ignored in ["empty", "null", "select(.data.amount > 100)", r#"if .event_type == "x" then {} else null end"#] {
        assert_eq!(map(ignored), Ok(Vec::new()), "{ignored}");
    }
    let made =
        map(r#"{event_type: "a", destinations: ["x", "y"]}, {event_type: "b", destination: "z"}"#).expect("made");
    let seen: Vec<_> = made.iter().map(|one| (one.event_type.as_str(), one.destination.as_deref())).collect();
    assert_eq!(seen, [("a", Some("x")), ("a", Some("y")), ("b", Some("z"))]);
    assert_ne!(made[0].id, made[1].id);
}

#[test]
fn what_fails_says_why_and_shows_nothing_of_the_event() {
    for (source, says) in [
        (".data.card.number", "map: cannot index a text"),
        ("[{}]", "write `.[]`"),
        (".data.card", "no object"),
        (r#"{colour: "red"}"#, "a field that messages have not: they have event_type"),
        (r#"{event_type: ""}"#, "event_type"),
        ("{event_type: null}", "`event_type` is null"),
        ("{tenant: [.data.card]}", "`tenant` is no text"),
        ("{due_at: .data.card}", "`due_at` is no time"),
        ("{destinations: .data.card}", "`destinations` is no array"),
        ("{headers: .data.card}", "`headers` is no object"),
        ("def f: f; f", "steps"),
    ] {
        let wrong = map(source).expect_err(source);
        assert!(wrong.contains(says) && !wrong.contains("canary"), "{source}: {wrong}");
    }
}

#[test]
fn a_rule_makes_a_payload_of_the_data() {
    let mut rule = Rule::new("payment.*");
    rule.payload = Some(payload("{id, amount}").expect("an expression"));
    let made = Rules::new([rule.clone()]).map(&event()).expect("a message");
    assert_eq!(made[0].payload.as_ref(), br#"{"id":7,"amount":5.10}"#);
    let text = event().data("canary", "text/plain");
    let wrong = Rules::new([rule.clone()]).map(&text).expect_err("no JSON").to_string();
    assert!(wrong.contains("not JSON") && !wrong.contains("canary"), "{wrong}");
    rule.payload = Some(payload(".id, .amount").expect("an expression"));
    assert!(Rules::new([rule]).map(&event()).expect_err("two").to_string().contains("several results"));
}
