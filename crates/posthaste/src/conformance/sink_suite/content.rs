//! What arrives.

use futures_util::future::join_all;

use super::fixture::{arrived, arrived_ids, build, deliver, ids, message, messages};
use super::{Arrived, SinkUnderTest};
use crate::message::Message;

/// The destination sees the messages of a run in the order of the run, and of the runs.
pub async fn a_run_arrives_in_order(subject: &impl SinkUnderTest) {
    let (sink, messages) = (subject.sink(), messages("1", 120));
    for run in messages.chunks(50) {
        deliver(&*sink, run).await;
    }
    assert_eq!(arrived_ids(&arrived(subject, &messages).await), ids(&messages));
}

/// No payload is re-encoded, cut, trimmed or understood.
pub async fn payloads_arrive_byte_for_byte(subject: &impl SinkUnderTest) {
    let deep_json = "[".repeat(50_000) + &"]".repeat(50_000);
    let payloads: [(&str, Vec<u8>); 9] = [
        ("application/octet-stream", vec![]),
        ("application/octet-stream", vec![0]),
        ("application/octet-stream", (0..=255).collect()),
        ("text/plain; charset=utf-8", b"\xff\xfe invalid \xc3\x28".to_vec()),
        ("text/plain", b" spaces and lines\r\n\n\0 ".to_vec()),
        ("application/json", b"{ \"b\" : 1.50,\n  \"a\": 12345678901234567890 }\n".to_vec()),
        ("application/json", b"not json".to_vec()),
        ("application/json", deep_json.into_bytes()),
        ("application/octet-stream", (0..1 << 20).map(|n: u32| (n % 251) as u8).collect()),
    ];
    let messages: Vec<Message> =
        payloads.into_iter().map(|(content_type, bytes)| build(message("1", 0).payload(bytes, content_type))).collect();
    for run in messages.chunks(4) {
        deliver(&*subject.sink(), run).await;
    }
    let arrived = arrived(subject, &messages).await;
    for (sent, got) in messages.iter().zip(&arrived) {
        assert!(sent.payload == got.payload, "{} bytes of {}", sent.payload.len(), sent.content_type);
    }
}

/// Id, type, key, tenant, correlation id and headers arrive, the trace context among them, and nothing is made up.
pub async fn every_field_arrives(subject: &impl SinkUnderTest) {
    let rich = message("1", 0)
        .key("account/1, \"primary\" ü")
        .tenant("acme")
        .user("ann")
        .correlation_id("c-1")
        .header("x-repeated", "one")
        .header("x-repeated", "two = ü; \"quoted\"")
        .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let bare = Message::builder("account.closed", "account", "1").unordered();
    for message in [build(rich), build(bare)] {
        deliver(&*subject.sink(), std::slice::from_ref(&message)).await;
        let seen = arrived(subject, std::slice::from_ref(&message)).await;
        assert_eq!(seen.last().cloned().map(by_name), Some(by_name(Arrived::from(&message))));
    }
}

fn by_name(arrived: Arrived) -> Arrived {
    let mut headers: Vec<_> = arrived.headers.iter().collect();
    headers.sort_by_key(|(name, _)| *name);
    Arrived { headers: headers.into_iter().collect(), ..arrived.clone() }
}

/// When the sink answers, what it claims has arrived, not merely been sent.
pub async fn what_is_confirmed_is_there(subject: &impl SinkUnderTest) {
    let (sink, messages) = (subject.sink(), messages("1", 30));
    for run in messages.chunks(10) {
        deliver(&*sink, run).await;
        let there = arrived_ids(&subject.arrived().await);
        let missing: Vec<_> = ids(run).into_iter().filter(|id| !there.contains(id)).collect();
        assert!(missing.is_empty(), "confirmed and not there: {missing:?}");
    }
}

/// Runs of 64 keys under way at once: all arrive, each key in its order.
pub async fn many_keys_at_once_keep_their_order(subject: &impl SinkUnderTest) {
    let sink = subject.sink();
    let keys: Vec<Vec<Message>> = (0..64).map(|n| messages(&n.to_string(), 15)).collect();
    let one_after_another = async |messages: &[Message]| {
        for run in messages.chunks(5) {
            deliver(&*sink, run).await;
        }
    };
    join_all(keys.iter().map(|messages| one_after_another(messages))).await;

    let all = arrived(subject, &keys.concat()).await;
    for messages in &keys {
        let of_key: Vec<_> =
            all.iter().filter(|arrived| arrived.key.as_deref() == messages[0].key.as_deref()).map(|a| a.id).collect();
        assert_eq!(of_key, ids(messages));
    }
}
