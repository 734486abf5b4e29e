//! CloudEvents 1.0.
//!
//! `id`, `type`, `time` and `datacontenttype` are the message's. `source` is the aggregate type as a relative URI, `subject` the
//! aggregate id. The rest are extensions: those that others have defined (`partitionkey`, `traceparent`, `tracestate`,
//! `correlationid`) and ours.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Dialect, Pair, embed};
use crate::message::{Headers, Message};
use crate::sink::template::percent_encode;
use crate::sink::{Delivery, Error};

pub(super) const CONTENT_TYPE: &str = "application/cloudevents+json";
const TRACESTATE: &str = "tracestate";

/// All attributes but `datacontenttype`, which is a header of its own in binary mode.
fn attributes(delivery: &Delivery) -> Vec<(&'static str, Cow<'_, str>)> {
    let message = &*delivery.message;
    let texts = [
        ("type", Some(message.event_type.as_str())),
        ("subject", Some(&message.aggregate_id)),
        ("aggregatetype", Some(&message.aggregate_type)),
        ("partitionkey", message.key.as_deref()),
        ("tenant", message.tenant.as_deref()),
        ("user", message.user.as_deref()),
        ("correlationid", message.correlation_id.as_deref()),
        ("handover", delivery.hand_over.as_deref()),
        (Headers::TRACEPARENT, message.headers.get(Headers::TRACEPARENT)),
        (TRACESTATE, message.headers.get(TRACESTATE)),
    ];
    let mut attributes: Vec<(_, Cow<'_, str>)> = vec![
        ("specversion", "1.0".into()),
        ("id", message.id.to_string().into()),
        ("source", source(message).into()),
        ("time", message.occurred_at.to_string().into()),
        ("position", delivery.position.to_string().into()),
    ];
    attributes.extend(texts.into_iter().filter_map(|(name, value)| Some((name, value?.into()))));
    attributes
}

fn source(message: &Message) -> String {
    let mut source = String::from("/");
    percent_encode(
        &message.aggregate_type,
        |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte),
        &mut source,
    );
    source
}

/// Binary mode.
pub(super) fn headers(delivery: &Delivery, dialect: Dialect) -> Vec<Pair<'_>> {
    let value = |value| if dialect.cloudevents_encoded { encoded(value) } else { value };
    let header = |(name, text)| (format!("{}{name}", dialect.cloudevents_prefix).into(), value(text));
    attributes(delivery).into_iter().map(header).collect()
}

fn encoded(value: Cow<'_, str>) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"';
    if value.bytes().all(|byte| plain(byte) && byte != b'%') {
        return value;
    }
    let mut encoded = String::with_capacity(value.len() * 2);
    percent_encode(&value, plain, &mut encoded);
    encoded.into()
}

/// Structured mode: a JSON document. JSON goes in as it is, other text as a string, the rest in base64.
pub(super) fn document(delivery: &Delivery) -> Result<Bytes, Error> {
    let message = &*delivery.message;
    let mut document: Map<String, Value> = attributes(delivery)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Value::String(value.into_owned())))
        .collect();
    document.insert("datacontenttype".into(), message.content_type.as_str().into());
    let written = match (embed::json(message), std::str::from_utf8(&message.payload)) {
        (Some(json), _) => with_data(&document, json),
        (None, Ok(text)) if !embed::claims_json(&message.content_type) => {
            document.insert("data".into(), text.into());
            serde_json::to_vec(&document)
        }
        _ => {
            document.insert("data_base64".into(), embed::base64(message).into());
            serde_json::to_vec(&document)
        }
    };
    written.map(Bytes::from).map_err(|error| Error::reject(format_args!("cannot be written as a CloudEvent: {error}")))
}

fn with_data(document: &Map<String, Value>, data: &RawValue) -> serde_json::Result<Vec<u8>> {
    #[derive(serde::Serialize)]
    struct Document<'a> {
        #[serde(flatten)]
        attributes: &'a Map<String, Value>,
        data: &'a RawValue,
    }
    serde_json::to_vec(&Document { attributes: document, data })
}
