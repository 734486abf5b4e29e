//! Whatever someone writes is refused with a reason or delivered byte for byte, and stops nobody else.

use posthaste::Result;
use posthaste::message::{Builder, Limits, Message};
use posthaste::sink::Error;

use super::making::{about, destination, made, orders};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    payloads_that_break_parsers_arrive_byte_for_byte,
    payloads_larger_than_the_window_arrive_and_stop_nobody,
}

const MEGABYTE: usize = 1 << 20;

/// Fails the first attempt of every message, so that each of them is parked and comes back too.
fn reluctant() -> Receiver {
    Receiver::answering(|delivery| if delivery.attempt == 1 { Err(Error::retry("not yet")) } else { Ok(()) })
}

async fn payloads_that_break_parsers_arrive_byte_for_byte(outbox: Outbox) -> Result<()> {
    let deep = [vec![b'['; 50_000], vec![b']'; 50_000]].concat();
    let payloads: Vec<Vec<u8>> = vec![
        vec![0; 100],
        b"\0leading, in\0between and trailing\0".to_vec(),
        vec![0xff, 0xfe, 0x80, 0xc0],
        b"\xed\xa0\x80".to_vec(),
        deep,
        b"line\r\nline\n\r".to_vec(),
        b"'; DROP TABLE outbox; --".to_vec(),
        Vec::new(),
    ];
    let one = |(n, payload): (usize, &Vec<u8>)| {
        made(about(&format!("o-{}", n % 3)).payload(payload.clone(), "application/json"))
    };
    let messages: Vec<Message> = payloads.iter().enumerate().map(one).collect();
    let receiver = reluctant();
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    for arrival in receiver.arrivals() {
        let written = messages.iter().find(|message| message.id == arrival.delivery.message.id);
        assert!(written.is_some_and(|written| *written == *arrival.delivery.message));
    }
    Ok(())
}

async fn payloads_larger_than_the_window_arrive_and_stop_nobody(outbox: Outbox) -> Result<()> {
    let limits = Limits { payload_bytes: 16 * MEGABYTE, ..Limits::default() };
    let large = |byte: u8| made(about("large").payload(vec![byte; 16 * MEGABYTE], "x/y").limits(limits.clone()));
    let large: Vec<Message> = (1..=3).map(large).collect();
    let small = orders("small", 20);
    let receiver = reluctant();
    let relay = outbox.start(destination("app"), receiver.sink());
    for (n, large) in large.iter().enumerate() {
        outbox.write(&[std::slice::from_ref(large), &small[5 * n..5 * n + 5]].concat()).await?;
    }
    outbox.write(&small[15..]).await?;
    receiver.until_count(23).await;
    relay.stop().await?;
    receiver.assert_got(&[&large[..], &small].concat());
    let is_whole = |message: &Message| {
        let byte = message.payload.first().copied().unwrap_or_default();
        message.payload.len() == 16 * MEGABYTE && message.payload.iter().all(|found| *found == byte)
    };
    let arrivals = receiver.arrivals();
    let arrived_large = arrivals.iter().filter(|arrival| !arrival.delivery.message.payload.is_empty());
    assert!(arrived_large.clone().all(|arrival| is_whole(&arrival.delivery.message)) && arrived_large.count() == 3);
    Ok(())
}

#[test]
fn a_payload_over_the_limit_is_refused_and_the_limit_is_named() {
    let error = about("1").payload(vec![0; 16 * MEGABYTE], "x/y").build().expect_err("too large");
    assert_eq!(error.problems.len(), 1);
    assert_eq!(error.problems[0].field, "payload");
    let text = error.to_string();
    assert!(text.contains("16777216") && text.contains("1048576") && text.contains("payload_bytes"), "{text}");
}

#[test]
fn control_characters_are_refused_and_the_field_is_named() {
    type Set = fn(Builder, &str) -> Builder;
    let fields: [(&str, Set); 7] = [
        ("key", |builder, text| builder.key(text)),
        ("tenant", |builder, text| builder.tenant(text)),
        ("user", |builder, text| builder.user(text)),
        ("correlation_id", |builder, text| builder.correlation_id(text)),
        ("destination", |builder, text| builder.destination(text)),
        ("headers", |builder, text| builder.header("name", text)),
        ("headers", |builder, text| builder.header(text, "value")),
    ];
    for hostile in ["a\r\nb: c", "a\nb", "a\rb", "a\0b", "\u{1b}[2J", "a\u{85}b"] {
        for (field, set) in fields {
            let error = set(about("1"), hostile).build().expect_err(field);
            assert!(error.problems.iter().any(|problem| problem.field == field), "{field}: {error}");
            assert!(!error.to_string().contains(hostile), "the error does not repeat it: {error}");
        }
    }
}
