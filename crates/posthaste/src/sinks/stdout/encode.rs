//! A message as a line of JSON.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::journal::Position;
use crate::message::{Headers, Message, MessageId};
use crate::sink::format::embed;
use crate::sink::{Delivery, Run};

/// One message, with the names of its fields as everywhere else. Absent fields are left out.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    id: MessageId,
    event_type: &'a str,
    aggregate_type: &'a str,
    aggregate_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<&'a str>,
    occurred_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_stream: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    destination: &'a str,
    position: Position,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand_over: Option<&'a str>,
    headers: &'a Headers,
    content_type: &'a str,
    /// Exactly one of three, so that a reader can always get back the bytes that were written. No flattened enumeration: a line with
    /// one is written as a map, which takes longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
}

/// JSON becomes a part of the line only if it is one line itself.
fn payload(message: &Message) -> (Option<&RawValue>, Option<&str>, Option<String>) {
    let Ok(text) = std::str::from_utf8(&message.payload) else {
        return (None, None, Some(embed::base64(message)));
    };
    match embed::json(message).filter(|_| is_one_line(text)) {
        Some(json) => (Some(json), None, None),
        None => (None, Some(text), None),
    }
}

/// Looks at all bytes, several at a time.
fn is_one_line(text: &str) -> bool {
    !text.bytes().fold(false, |any, byte| any | (byte == b'\n') | (byte == b'\r'))
}

/// How long the lines of these runs will be, about, so that a block need not grow while it is made.
pub(super) fn weight(runs: &[Run]) -> usize {
    runs.iter().flat_map(|run| &run.deliveries).map(|delivery| delivery.message.weight()).sum()
}

/// Adds the lines of a run to a block, each with its line feed; all of them or none.
pub(super) fn add(run: &Run, block: &mut Vec<u8>) -> serde_json::Result<()> {
    let before = block.len();
    for delivery in &run.deliveries {
        serde_json::to_writer(&mut *block, &Line::of(run, delivery)).inspect_err(|_| block.truncate(before))?;
        block.push(b'\n');
    }
    Ok(())
}

impl<'a> Line<'a> {
    fn of(run: &'a Run, delivery: &'a Delivery) -> Self {
        let message = &*delivery.message;
        let (payload, payload_text, payload_base64) = payload(message);
        Self {
            id: message.id,
            event_type: &message.event_type,
            aggregate_type: &message.aggregate_type,
            aggregate_id: &message.aggregate_id,
            key: message.key.as_deref(),
            tenant: message.tenant.as_deref(),
            user: message.user.as_deref(),
            correlation_id: message.correlation_id.as_deref(),
            occurred_at: message.occurred_at,
            due_at: message.due_at,
            source_stream: message.origin.as_ref().map(|origin| origin.stream.as_str()),
            source_event: message.origin.as_ref().map(|origin| origin.event.as_str()),
            max_attempts: message.max_attempts,
            destination: run.destination.as_str(),
            position: delivery.position,
            attempt: delivery.attempt,
            hand_over: delivery.hand_over.as_deref(),
            headers: &message.headers,
            content_type: &message.content_type,
            payload,
            payload_text,
            payload_base64,
        }
    }
}
