//! A message as a document.

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, Timestamp, doc};

use super::super::options::Options;
use super::chunks::CHUNK_BYTES;
use super::{date, signed, uuid};
use crate::message::Message;

/// The document of a message; what is too large for it goes to further ones (see `chunks`).
pub(in crate::stores::mongodb) fn encode(message: &Message, options: &Options) -> Document {
    let fields = &options.fields;
    let mut document = doc! {
        "_id": uuid(message.id),
        &fields.event_type: message.event_type.as_str(),
        &fields.aggregate_type: message.aggregate_type.as_str(),
        &fields.aggregate_id: message.aggregate_id.as_str(),
        &fields.payload: payload(message),
        &fields.content_type: message.content_type.as_str(),
    };
    let mut put = |name: &String, value: Option<Bson>| {
        if let Some(value) = value {
            document.insert(name, value);
        }
    };
    put(&fields.headers, headers(message));
    put(&fields.tenant, message.tenant.as_deref().map(Bson::from));
    put(&fields.user, message.user.as_deref().map(Bson::from));
    put(&fields.correlation_id, message.correlation_id.as_deref().map(Bson::from));
    put(&fields.due_at, message.due_at.map(|at| date(at.as_millisecond()).into()));
    put(&fields.destination, message.destination.as_deref().map(Bson::from));
    put(&fields.max_attempts, message.max_attempts.map(|limit| i64::from(limit).into()));
    put(&fields.source_stream, message.origin.as_ref().map(|origin| Bson::from(origin.stream.as_str())));
    put(&fields.source_event, message.origin.as_ref().map(|origin| Bson::from(origin.event.as_str())));
    put(&fields.occurred_at, Some(date(message.occurred_at.as_millisecond()).into()));
    // The server puts its logical clock in the place of an empty timestamp: the order in which documents were written.
    put(&fields.recorded_at, Some(Timestamp { time: 0, increment: 0 }.into()));
    if options.stamp_status {
        put(&fields.status, Some(Bson::from(&options.status.pending)));
        put(&fields.published_at, Some(Bson::Null));
        put(&fields.retry_count, Some(Bson::Int32(0)));
        put(&fields.last_error, Some(Bson::Null));
        put(&fields.processed_at, Some(Bson::Null));
    }
    let mut own = doc! { "key": message.key.as_deref().map_or(Bson::Null, Bson::from) };
    if message.payload.len() > CHUNK_BYTES {
        own.insert("chunks", signed(message.payload.len().div_ceil(CHUNK_BYTES)));
    }
    document.insert("posthaste", own);
    document
}

/// As text where it is text, so that people can read it; either way it comes back byte for byte.
fn payload(message: &Message) -> Bson {
    if message.payload.len() > CHUNK_BYTES {
        return Bson::Null;
    }
    let essence = message.content_type.split(';').next().unwrap_or_default().trim();
    let is_text = essence == "application/json" || essence.ends_with("+json") || essence.starts_with("text/");
    match std::str::from_utf8(&message.payload) {
        Ok(text) if is_text => Bson::String(text.to_owned()),
        _ => Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: message.payload.to_vec() }),
    }
}

fn headers(message: &Message) -> Option<Bson> {
    let pair = |(name, value): (&str, &str)| Bson::Array(vec![name.into(), value.into()]);
    (!message.headers.is_empty()).then(|| Bson::Array(message.headers.iter().map(pair).collect()))
}
