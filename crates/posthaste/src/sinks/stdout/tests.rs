use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, duplex};

use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message};
use crate::retry::Verdict;
use crate::sink::Delivery;

fn order() -> Builder {
    Message::builder("order.created", "order", "7")
}

fn run(messages: impl IntoIterator<Item = Builder>) -> Run {
    let delivery =
        |(n, builder): (usize, Builder)| Delivery::new(builder.build().unwrap(), Position::seq(n as u64 + 1));
    let deliveries: Vec<_> = messages.into_iter().enumerate().map(delivery).collect();
    Run::new("log", Partition::new(3), deliveries)
}

/// What the sink writes for these messages.
async fn written(run: &Run) -> String {
    let (near, mut far) = duplex(4 << 20);
    let outcome = Stdout::to(near).deliver(run).await;
    assert_eq!((outcome.confirmed, outcome.error), (run.deliveries.len(), None));
    let mut text = String::new();
    far.read_to_string(&mut text).await.unwrap();
    text
}

async fn line_of(builder: Builder) -> Value {
    serde_json::from_str(&written(&run([builder])).await).unwrap()
}

#[tokio::test]
async fn a_line_carries_every_field_of_the_message() {
    let at = "2026-01-02T03:04:05.006Z".parse().unwrap();
    let builder = order()
        .json(&json!({"total": 12}))
        .header("x-shop", "north")
        .header("x-shop", "south")
        .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .tenant("acme")
        .user("ann")
        .correlation_id("c-1")
        .occurred_at(at)
        .due_at(at)
        .max_attempts(4)
        .origin("orders", "e-9");
    let id = builder.clone().build().unwrap().id;
    let expected = json!({
        "id": id, "event_type": "order.created", "aggregate_type": "order", "aggregate_id": "7", "key": "order/7",
        "tenant": "acme", "user": "ann", "correlation_id": "c-1", "occurred_at": "2026-01-02T03:04:05.006Z",
        "due_at": "2026-01-02T03:04:05.006Z", "source_stream": "orders", "source_event": "e-9", "max_attempts": 4,
        "destination": "log", "position": {"tick": 0, "seq": 1}, "attempt": 1, "content_type": "application/json",
        "headers": [["x-shop", "north"], ["x-shop", "south"],
            ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]],
        "payload": {"total": 12},
    });
    assert_eq!(line_of(builder).await, expected);
}

#[tokio::test]
async fn json_that_a_parser_accepts_is_inline_and_everything_else_is_text_or_base64() {
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    let cases: [(&[u8], &str, Value); 8] = [
        (br#"{"a":1.50}"#, "application/json", json!({"payload": {"a": 1.5}})),
        (b"[]", "application/cloudevents+json; charset=utf-8", json!({"payload": []})),
        (b"[]", "text/plain", json!({"payload_text": "[]"})),
        (b"{\n}", "application/json", json!({"payload_text": "{\n}"})),
        (b"{oops", "application/json", json!({"payload_text": "{oops"})),
        (deep.as_bytes(), "application/json", json!({"payload_text": deep})),
        (b"", "application/octet-stream", json!({"payload_text": ""})),
        (b"\0\xff", "text/plain", json!({"payload_base64": "AP8="})),
    ];
    for (payload, content_type, expected) in cases {
        let line = line_of(order().payload(payload.to_vec(), content_type)).await;
        for name in ["payload", "payload_text", "payload_base64"] {
            assert_eq!(line.get(name), expected.get(name), "{name} of {content_type}");
        }
    }
}

#[tokio::test]
async fn inline_json_keeps_the_spelling_of_its_writer() {
    let payload = r#"{"b":1.50, "a":12345678901234567890, "a":0}"#;
    let text = written(&run([order().payload(payload, "application/json")])).await;
    assert!(text.contains(payload), "{text}");
}

#[tokio::test]
async fn a_reader_that_has_left_makes_the_destination_unreachable() {
    let (near, far) = duplex(64);
    drop(far);
    let outcome = Stdout::to(near).deliver(&run([order()])).await;
    assert_eq!(outcome.confirmed, 0);
    assert_eq!(outcome.error.unwrap().verdict, Verdict::Unreachable);
}

#[tokio::test]
async fn a_line_that_was_begun_is_finished_before_the_next_one() {
    let (near, mut far) = duplex(100);
    let sink = Stdout::to(near);
    // The pipe is full after 100 bytes, so the delivery hangs in the middle of its first line and is dropped there.
    assert!(sink.deliver(&run([order().header("n", "first"), order().header("n", "never")])).now_or_never().is_none());

    let (second, mut text) = (run([order().header("n", "second")]), String::new());
    let delivered = async {
        assert_eq!(sink.deliver(&second).await.confirmed, 1);
        drop(sink);
    };
    tokio::join!(delivered, async { far.read_to_string(&mut text).await.unwrap() });
    let seen: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(seen.iter().map(|line| &line["headers"][0][1]).collect::<Vec<_>>(), ["first", "second"]);
}
