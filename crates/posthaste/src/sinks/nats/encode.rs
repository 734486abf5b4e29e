//! A message as NATS carries it.

use async_nats::HeaderMap;
use async_nats::header::{HeaderName, HeaderValue, NATS_EXPECTED_STREAM, NATS_MESSAGE_ID};
use async_nats::jetstream::message::PublishMessage;

use super::Settings;
use crate::sink::format::Dialect;
use crate::sink::template::{Field, Rule, percent_encode};
use crate::sink::{Delivery, Error, Run};

const CONTENT_TYPE: &str = "content-type";
/// JetStream acts upon its own headers, so no message may bring one.
const DIALECT: Dialect = Dialect {
    cloudevents_prefix: "ce-",
    cloudevents_encoded: true,
    reserved: &[
        "Nats-Msg-Id",
        "Nats-Expected-Stream",
        "Nats-Expected-Last-Sequence",
        "Nats-Expected-Last-Subject-Sequence",
        "Nats-Expected-Last-Msg-Id",
        "Nats-Rollup",
        "Nats-TTL",
        "Nats-Incr",
    ],
};
/// What the protocol takes beside names and values: the version, and `: ` and a line's end for each header.
const VERSION_BYTES: usize = 12;
const HEADER_BYTES: usize = 4;

/// Subjects. A `.` separates their parts, which may not be empty, and `*` and `>` mean others; so a field is one part. Only an
/// event type has parts of its own.
#[derive(Debug)]
pub(super) struct SubjectRule;

impl Rule for SubjectRule {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_:/=@+,~".contains(&byte);
        percent_encode(value, |byte| plain(byte) || field == Field::EventType && byte == b'.', name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        /// The server reads no longer lines.
        const MAX_BYTES: usize = 1_024;
        if name.len() > MAX_BYTES {
            return Err(format!("is longer than {MAX_BYTES} bytes"));
        }
        if name.split('.').any(str::is_empty) {
            return Err("has an empty part: a dot at an end, or two together".into());
        }
        let unfit = |c: char| c.is_whitespace() || c.is_control() || c == '*' || c == '>';
        if name.contains(unfit) {
            return Err("contains a space or a wildcard".into());
        }
        Ok(())
    }
}

/// What the server knows repeats by. A hand-over that its receiver is to answer is none: the one before may have failed.
fn message_id(delivery: &Delivery) -> String {
    match &delivery.hand_over {
        Some(hand_over) => format!("{}-{hand_over}", delivery.message.id),
        None => delivery.message.id.to_string(),
    }
}

/// One message, ready to be published.
pub(super) struct Publication {
    pub(super) subject: String,
    /// With its headers.
    pub(super) bytes: usize,
    message: PublishMessage,
}

impl Publication {
    pub(super) fn of(settings: &Settings, run: &Run, delivery: &Delivery) -> Result<Self, Error> {
        let subject = settings.subject.render(&SubjectRule, run, delivery)?.into_owned();
        let formatted = settings.format.apply(DIALECT, run, delivery)?;
        let mut headers = HeaderMap::new();
        let mut bytes = formatted.body.len() + VERSION_BYTES;
        let mut add = |name: &str, value: &str| -> Result<(), Error> {
            let unfit = || Error::reject(format_args!("the header {name:?} cannot be written"));
            let header = (name.parse::<HeaderName>(), value.parse::<HeaderValue>());
            let (Ok(key), Ok(text)) = header else { return Err(unfit()) };
            headers.append(key, text);
            bytes += name.len() + value.len() + HEADER_BYTES;
            Ok(())
        };
        add(NATS_MESSAGE_ID.as_ref(), &message_id(delivery))?;
        if let Some(stream) = &settings.stream {
            add(NATS_EXPECTED_STREAM.as_ref(), stream)?;
        }
        add(CONTENT_TYPE, formatted.content_type)?;
        for (name, value) in formatted.all_headers() {
            add(name, value)?;
        }
        let message = PublishMessage::build().headers(headers).payload(formatted.body.clone());
        Ok(Self { subject, bytes, message })
    }

    pub(super) fn refuse_beyond(&self, max_bytes: usize) -> Result<(), Error> {
        if self.bytes <= max_bytes {
            return Ok(());
        }
        let bytes = self.bytes;
        Err(Error::reject(format_args!(
            "is {bytes} bytes with its headers, and the server takes {max_bytes} (`max_payload`)"
        )))
    }

    /// The message, to be stored only after this sequence number of its subject.
    pub(super) fn after(self, sequence: Option<u64>) -> PublishMessage {
        match sequence {
            Some(sequence) => self.message.expected_last_subject_sequence(sequence),
            None => self.message,
        }
    }
}
