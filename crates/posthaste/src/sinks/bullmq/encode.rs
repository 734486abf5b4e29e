//! A message as a job.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::names::{QueueRule, job_id};
use super::settings::{Payload, Settings};
use crate::message::{Headers, Message};
use crate::sink::format::embed;
use crate::sink::{Delivery, Error, Run};

/// A message as it stands in a queue.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) queue: Cow<'a, str>,
    pub(super) id: String,
    pub(super) name: &'a str,
    /// JSON.
    pub(super) data: String,
    /// JSON.
    pub(super) options: String,
    /// Counts the runs of the job whose failure the outbox has taken note of, and this one.
    pub(super) number: u64,
    /// It is to run although it was completed.
    pub(super) again: bool,
}

impl<'a> Job<'a> {
    /// An error is a reject.
    pub(super) fn of(settings: &'a Settings, run: &'a Run, delivery: &'a Delivery) -> Result<Self, Error> {
        let (bytes, limit) = (delivery.message.payload.len(), settings.max_message_bytes);
        if bytes > limit && settings.payload == Payload::Inline {
            let text = "let the workers fetch it (payload = \"none\"), or raise it";
            return Err(Error::reject(format_args!("is {bytes} bytes, and `max_message_bytes` is {limit}: {text}")));
        }
        let id = job_id(run, delivery);
        Ok(Self {
            queue: settings.queue.render(&QueueRule, run, delivery)?,
            name: &delivery.message.event_type,
            data: json(&Data::of(settings, run, delivery))?,
            options: json(&Options::of(settings, &id))?,
            number: number(delivery),
            again: delivery.replayed,
            id,
        })
    }

    /// What the next attempt has to know if this one fails.
    pub(super) fn progress(&self) -> Vec<u8> {
        self.number.to_string().into_bytes()
    }
}

/// One more than the run whose failure is known.
fn number(delivery: &Delivery) -> u64 {
    let known = delivery.progress.as_deref().and_then(|progress| std::str::from_utf8(progress).ok()?.parse().ok());
    known.map_or(1, |known: u64| known + 1)
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::reject(format_args!("makes no JSON: {error}")))
}

/// What workers get. Absent fields are left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    outbox_id: String,
    event_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<PayloadText<'a>>,
    /// Left out for JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_encoding: Option<&'static str>,
    content_type: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<&'a str, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_stream_id: Option<&'a str>,
    /// Whatever the message came from, or else the message itself: what a receiver knows repeats by.
    source_event_id: String,
    aggregate_type: &'a str,
    aggregate_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    occurred_at: String,
    destination: &'a str,
    position: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand_over: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PayloadText<'a> {
    Json(&'a RawValue),
    Text(Cow<'a, str>),
}

impl<'a> Data<'a> {
    fn of(settings: &Settings, run: &'a Run, delivery: &'a Delivery) -> Self {
        let message = &*delivery.message;
        let origin = message.origin.as_ref();
        let inline = (settings.payload == Payload::Inline).then(|| payload(message));
        let (payload, payload_encoding) = inline.map_or((None, None), |(text, encoding)| (Some(text), encoding));
        Self {
            outbox_id: message.id.to_string(),
            event_type: &message.event_type,
            payload,
            payload_encoding,
            content_type: &message.content_type,
            headers: headers(&message.headers),
            tenant_id: message.tenant.as_deref(),
            user_id: message.user.as_deref(),
            correlation_id: message.correlation_id.as_deref(),
            source_stream_id: origin.map(|origin| origin.stream.as_str()),
            source_event_id: origin.map_or_else(|| message.id.to_string(), |origin| origin.event.to_string()),
            aggregate_type: &message.aggregate_type,
            aggregate_id: &message.aggregate_id,
            key: message.key.as_deref(),
            occurred_at: message.occurred_at.to_string(),
            destination: run.destination.as_str(),
            position: delivery.position.to_string(),
            attempt: delivery.attempt,
            hand_over: delivery.hand_over.as_deref(),
        }
    }
}

/// JSON as it was written, other text as a text, and anything else in Base64; with what was done to it.
fn payload(message: &Message) -> (PayloadText<'_>, Option<&'static str>) {
    if let Some(json) = embed::json(message) {
        return (PayloadText::Json(json), None);
    }
    match std::str::from_utf8(&message.payload) {
        Ok(text) => (PayloadText::Text(text.into()), Some("text")),
        Err(_) => (PayloadText::Text(embed::base64(message).into()), Some("base64")),
    }
}

/// A name that a message has several times has a list.
fn headers(headers: &Headers) -> BTreeMap<&str, Value> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    headers.iter().for_each(|(name, value)| values.entry(name).or_default().push(value));
    let one_or_list = |values: Vec<&str>| if let [one] = values[..] { one.into() } else { values.into() };
    values.into_iter().map(|(name, values)| (name, one_or_list(values))).collect()
}

/// BullMQ's own, as it keeps them with a job.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options<'a> {
    job_id: &'a str,
    /// One, because retries are the outbox's.
    attempts: u32,
    remove_on_complete: Kept,
    remove_on_fail: Kept,
    #[serde(skip_serializing_if = "is_zero")]
    delay: u64,
    #[serde(skip_serializing_if = "is_zero")]
    priority: u64,
}

#[derive(Serialize)]
struct Kept {
    /// In seconds.
    age: u64,
}

impl<'a> Options<'a> {
    fn of(settings: &Settings, id: &'a str) -> Self {
        Self {
            job_id: id,
            attempts: 1,
            remove_on_complete: Kept { age: settings.keep_completed.as_secs() },
            remove_on_fail: Kept { age: settings.keep_failed.as_secs() },
            delay: settings.delay.as_millis() as u64,
            priority: settings.priority.into(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
