//! A message as an expression sees it.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bytes::Bytes;
use jaq_json::{Map, Val};

use super::json;
use super::value::Value;
use crate::message::{Headers, Message};
use crate::sink::format::embed::claims_json;

pub(super) const PAYLOAD: &str = "payload";
pub(super) const PAYLOAD_ENCODING: &str = "payload_encoding";
pub(super) const HEADERS: &str = "headers";

/// How the payload stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As the JSON that it is.
    Json,
    /// As a text.
    Text,
    /// As a text in base64.
    Base64,
}

impl Encoding {
    const ALL: [Self; 3] = [Self::Json, Self::Text, Self::Base64];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Base64 => "base64",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name)
    }
}

/// The document of a message. Absent fields are `null`.
pub(super) fn document(message: &Message) -> Value {
    let (payload, encoding) = content(&message.payload, &message.content_type);
    let (id, occurred_at) = (message.id.to_string(), message.occurred_at.to_string());
    let (due_at, origin) = (message.due_at.map(|due| due.to_string()), message.origin.as_ref());
    let texts = [
        ("id", Some(id.as_str())),
        ("event_type", Some(&message.event_type)),
        ("aggregate_type", Some(&message.aggregate_type)),
        ("aggregate_id", Some(&message.aggregate_id)),
        ("key", message.key.as_deref()),
        ("tenant", message.tenant.as_deref()),
        ("user", message.user.as_deref()),
        ("correlation_id", message.correlation_id.as_deref()),
        ("destination", message.destination.as_deref()),
        ("source_stream", origin.map(|origin| origin.stream.as_str())),
        ("source_event", origin.map(|origin| origin.event.as_str())),
        ("content_type", Some(&message.content_type)),
        (PAYLOAD_ENCODING, Some(encoding.name())),
        ("occurred_at", Some(&occurred_at)),
        ("due_at", due_at.as_deref()),
    ];
    let mut fields = Map::with_capacity_and_hasher(texts.len() + 2, <_>::default());
    fields.extend(parts_of_one(&texts));
    fields.insert(name(HEADERS), headers(&message.headers));
    fields.insert(name(PAYLOAD), payload);
    Value::weighed(Val::obj(fields))
}

/// Texts that share one piece of memory: a program that changes a field copies all of them, and then only counts.
fn parts_of_one(texts: &[(&'static str, Option<&str>)]) -> impl Iterator<Item = (Val, Val)> {
    let all: String = texts.iter().filter_map(|(_, text)| *text).collect();
    let mut left = Bytes::from(all);
    texts.iter().map(move |(field, text)| {
        let value = text.map_or(Val::Null, |text| Val::utf8_str(left.split_to(text.len())));
        (name(field), value)
    })
}

pub(super) fn name(name: &'static str) -> Val {
    Val::utf8_str(Bytes::from_static(name.as_bytes()))
}

pub(super) fn text(text: &str) -> Val {
    Val::utf8_str(Bytes::copy_from_slice(text.as_bytes()))
}

/// A header that is there more than once is an array of its values.
fn headers(headers: &Headers) -> Val {
    let mut fields = Map::default();
    for (header, value) in headers.iter() {
        let value = text(value);
        match fields.get_mut(&text(header)) {
            None => drop(fields.insert(text(header), value)),
            Some(Val::Arr(values)) => std::rc::Rc::make_mut(values).push(value),
            Some(first) => *first = [std::mem::take(first), value].into_iter().collect(),
        }
    }
    Val::obj(fields)
}

/// Bytes of this content type as a program sees them.
pub(super) fn content(bytes: &Bytes, content_type: &str) -> (Val, Encoding) {
    if claims_json(content_type)
        && let Some(json) = json::read(bytes)
    {
        return (json.0, Encoding::Json);
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => (Val::utf8_str(bytes.clone()), Encoding::Text),
        Err(_) => (Val::utf8_str(BASE64_STANDARD.encode(bytes)), Encoding::Base64),
    }
}
