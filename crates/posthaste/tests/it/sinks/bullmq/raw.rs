//! Jobs as the server has them, read without the library and without the sink's client.

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use posthaste::conformance::sink_suite::Arrived;
use posthaste::message::{Headers, MessageId};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::servers::redis::{Reply, Server};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    outbox_id: String,
    event_type: String,
    payload: Option<Box<RawValue>>,
    payload_encoding: Option<String>,
    key: Option<String>,
    tenant_id: Option<String>,
    correlation_id: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, Value>,
}

/// A field of a job, as it is stored.
pub(super) fn field(server: &Server, queue: &str, job: &str, field: &str) -> Option<String> {
    match server.command(&["HGET", &format!("bull:{queue}:{job}"), field]) {
        Reply::Nil => None,
        reply => Some(String::from_utf8(reply.bytes()).unwrap()),
    }
}

/// What the message of a job was, as far as the job says.
pub(super) fn arrived(server: &Server, queue: &str, job: &str) -> Arrived {
    let data: Data = serde_json::from_str(&field(server, queue, job, "data").expect("the job is kept")).unwrap();
    let text = |raw: &RawValue| serde_json::from_str::<String>(raw.get()).unwrap();
    let payload = match (data.payload, data.payload_encoding.as_deref()) {
        (Some(raw), None) => raw.get().as_bytes().to_vec(),
        (Some(raw), Some("base64")) => BASE64_STANDARD.decode(text(&raw)).unwrap(),
        (Some(raw), _) => text(&raw).into_bytes(),
        (None, _) => Vec::new(),
    };
    Arrived {
        id: data.outbox_id.parse::<MessageId>().unwrap(),
        event_type: data.event_type,
        key: data.key,
        tenant: data.tenant_id,
        correlation_id: data.correlation_id,
        headers: headers(data.headers),
        payload,
    }
}

fn headers(values: BTreeMap<String, Value>) -> Headers {
    let list = |value: Value| if let Value::Array(values) = value { values } else { vec![value] };
    let pairs =
        values.into_iter().flat_map(|(name, value)| list(value).into_iter().map(move |one| (name.clone(), one)));
    pairs.map(|(name, value)| (name, value.as_str().unwrap().to_owned())).collect()
}
