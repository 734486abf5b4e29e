//! A message comes back as it was written, byte for byte.

use bytes::Bytes;
use jiff::Timestamp;

use super::Fixture;
use super::making::made;
use crate::error::Result;
use crate::inspect::Filter;
use crate::message::{Limits, Message};

/// Any bytes survive, whatever the content type says.
pub async fn payloads_come_back_byte_for_byte(t: Fixture) -> Result<()> {
    let every_byte: Vec<u8> = (0..=255).collect();
    let payloads: Vec<Bytes> = vec![
        Bytes::new(),
        Bytes::from_static(b"\0"),
        Bytes::from_static(b"before\0after"),
        Bytes::from_static(b"\xff\xfe invalid \xc3\x28 UTF-8 \xed\xa0\x80"),
        Bytes::from(every_byte),
        Bytes::from_static(b"' OR 1=1; -- \\ \" \r\n {\"a\":"),
        Bytes::from("[".repeat(50_000)),
    ];
    let message = |payload: &Bytes| made(Message::builder("blob.stored", "blob", "1").payload(payload.clone(), "x/y"));
    let entries = t.written(payloads.iter().map(message).collect()).await?;
    let read: Vec<_> = entries.iter().map(|entry| entry.message.payload.clone()).collect();
    assert!(read == payloads, "every payload is what was written");
    Ok(())
}

/// The largest payload that is accepted survives.
pub async fn a_payload_of_sixteen_megabytes_or_the_most_that_its_server_takes_comes_back(t: Fixture) -> Result<()> {
    let bytes = 0..t.subject.largest_payload();
    let payload: Vec<u8> = bytes.map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let payload = Bytes::from(payload);
    let limits = Limits { payload_bytes: payload.len(), ..Limits::default() };
    let large = Message::builder("blob.stored", "blob", "1").limits(limits).payload(payload.clone(), "x/y");
    let entry = t.written_one(made(large)).await?;
    assert!(entry.message.payload == payload, "the payload is what was written");
    Ok(())
}

/// A header may come twice, and the order stays.
pub async fn headers_keep_their_order_and_their_repeats(t: Fixture) -> Result<()> {
    let pairs =
        [("z", "1"), ("a", "2"), ("z", "3"), ("Z", "4"), ("empty", ""), ("text", "ä \" ' \\ 漢 🎈"), ("a", "2")];
    let builder = Message::builder("order.created", "order", "1");
    let message = made(pairs.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value)));
    let entry = t.written_one(message).await?;
    assert_eq!(entry.message.headers.iter().collect::<Vec<_>>(), pairs);
    Ok(())
}

/// A message with all fields survives.
pub async fn every_field_of_a_message_comes_back(t: Fixture) -> Result<()> {
    let full = Message::builder("order.line/added:v2", "order ä", "42 '\"%_\\ 漢🎈")
        .key("a key of its own")
        .json(&serde_json::json!({"total": 12.5}))
        .header("reason", "test")
        .traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        .tenant("acme")
        .user("alice@example.org")
        .correlation_id("c-1")
        .occurred_at(at(1_700_000_000_123))
        .due_at(at(1_700_000_001_456))
        .destination("billing")
        .max_attempts(7)
        .origin("stream ä", "event/1");
    let full = made(full);
    let entry = t.written_one(full.clone()).await?;
    assert_same(&entry.message, &full);
    let report = t.inspect.get(full.id).await?.expect("the message is there");
    assert_same(&report.message, &full);
    Ok(())
}

/// An absent field does not come back as an empty one.
pub async fn a_field_that_was_left_out_stays_so(t: Fixture) -> Result<()> {
    let bare = made(Message::builder("order.created", "order", "1").unordered());
    let entry = t.written_one(bare.clone()).await?;
    assert_same(&entry.message, &bare);
    Ok(())
}

/// Times far in the past keep their precision.
pub async fn times_long_ago_come_back(t: Fixture) -> Result<()> {
    for millisecond in [-1, -86_400_000_000, 0, 1] {
        let old = made(Message::builder("order.created", "order", "1").occurred_at(at(millisecond)));
        assert_same(&t.written_one(old.clone()).await?.message, &old);
    }
    Ok(())
}

/// No collation of the database makes two keys one.
pub async fn keys_that_differ_only_in_case_or_trailing_space_are_different(t: Fixture) -> Result<()> {
    let keys = ["key", "Key", "key ", "kéy", "ke\u{301}y"];
    for key in keys {
        t.write(vec![made(Message::builder("order.created", "order", "1").key(key))]).await?;
    }
    for key in keys {
        let filter = Filter { key: Some(key.into()), ..Filter::default() };
        assert_eq!(t.list(&filter).await?.len(), 1, "{key:?} is a key of its own");
    }
    Ok(())
}

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).expect("a time in range")
}

/// `Debug` of a message keeps its payload to itself, so name the field that differs instead.
#[track_caller]
fn assert_same(read: &Message, written: &Message) {
    assert_eq!(read.id, written.id);
    assert_eq!(read.event_type, written.event_type);
    assert_eq!(read.aggregate_type, written.aggregate_type);
    assert_eq!(read.aggregate_id, written.aggregate_id);
    assert_eq!(read.key, written.key);
    assert_eq!(read.content_type, written.content_type);
    assert_eq!(read.headers, written.headers);
    assert_eq!(read.tenant, written.tenant);
    assert_eq!(read.user, written.user);
    assert_eq!(read.correlation_id, written.correlation_id);
    assert_eq!(read.occurred_at, written.occurred_at);
    assert_eq!(read.due_at, written.due_at);
    assert_eq!(read.destination, written.destination);
    assert_eq!(read.max_attempts, written.max_attempts);
    assert_eq!(read.origin, written.origin);
    assert!(read == written, "the payload, or a field added since");
}
