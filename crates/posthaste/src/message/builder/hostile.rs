//! Whatever an application puts into a message, by the million.

use posthaste_hostile::{Outcome, Target, fields};

use super::*;

const WORDS: &[&str] = &[
    "order.created",
    "order",
    "42",
    "\x1f",
    "a/b",
    "text/plain",
    "traceparent",
    "x-shop",
    "acme",
    "s3cret-payload",
    ":",
    "_",
];

/// What only a payload says.
const SECRET: &str = "s3cret-payload";

/// More than any problem needs, also where there are many.
const LONGEST_ERROR: usize = 16 << 10;

/// As the documents say it, without a look at how it is checked.
fn is_name(text: &str) -> bool {
    (1..=255).contains(&text.len()) && !text.chars().any(|c| matches!(c as u32, 0..=0x1f | 0x7f..=0x9f))
}

fn is_within_limits(message: &Message) -> bool {
    let given = [&message.key, &message.tenant, &message.user, &message.correlation_id, &message.destination];
    let mut names = vec![&message.event_type, &message.aggregate_type, &message.aggregate_id, &message.content_type];
    names.extend(given.into_iter().flatten());
    names.extend(message.origin.iter().flat_map(|origin| [&origin.stream, &origin.event]));
    let is_plain =
        |byte: u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b':' | b'/' | b'-');
    let is_token = |byte: u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
    let headers: Vec<_> = message.headers.iter().collect();
    names.iter().all(|name| is_name(name))
        && message.event_type.bytes().all(is_plain)
        && message.payload.len() <= 1 << 20
        && message.max_attempts != Some(0)
        && headers.len() <= 64
        && headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() <= 16 << 10
        && headers.iter().all(|(name, value)| {
            !name.is_empty() && name.bytes().all(is_token) && (value.is_empty() || value.len() > 255 || is_name(value))
        })
}

fn made(input: &[u8]) -> (Builder, Vec<u8>) {
    let [kind, thing, id, key, tenant, user, stream, attempts, headers, payload] = fields::<10>(input);
    let text = |bytes: &[u8]| Text::from(String::from_utf8_lossy(bytes));
    let mut builder = Message::builder(text(kind), text(thing), text(id)).payload(payload.to_vec(), text(stream));
    if !key.is_empty() {
        builder = builder.key(text(key)).destination(text(key));
    }
    if !tenant.is_empty() {
        builder = builder.tenant(text(tenant)).origin(text(stream), text(tenant));
    }
    if !user.is_empty() {
        builder = builder.user(text(user)).correlation_id(text(user));
    }
    if let Ok(attempts) = text(attempts).parse() {
        builder = builder.max_attempts(attempts);
    }
    for header in headers.split(|byte| *byte == b';').filter(|header| !header.is_empty()) {
        let mut parts = header.splitn(2, |byte| *byte == b'=');
        let mut part = || text(parts.next().unwrap_or_default()).to_string();
        builder = builder.header(part(), part());
    }
    (builder, payload.to_vec())
}

#[test]
fn a_message_is_within_its_limits_or_refused_by_the_names_of_its_fields() {
    Target::new("messages", WORDS).longest(64 << 10).run(|input| {
        let (builder, payload) = made(input);
        let within = is_within_limits(&builder.message);
        let built = builder.build();
        assert_eq!(built.is_ok(), within, "{built:?}");
        match &built {
            Ok(message) => {
                assert_eq!(message.payload, payload);
                let headers = serde_json::to_string(&message.headers).expect("headers are JSON");
                assert_eq!(serde_json::from_str::<Headers>(&headers).ok().as_ref(), Some(&message.headers));
                let elsewhere =
                    input[..input.len() - payload.len()].windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
                assert!(elsewhere || !format!("{message:?}").contains(SECRET));
            }
            Err(error) => {
                let text = error.to_string();
                assert!(!error.problems.is_empty() && text.len() <= LONGEST_ERROR, "{} bytes", text.len());
                assert!(!text.chars().any(char::is_control), "{text:?}");
            }
        }
        Outcome::of(&built)
    });
}
