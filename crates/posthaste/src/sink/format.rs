//! What a message looks like at a destination that has headers: plain, or as a CloudEvent.
//!
//! * plain: the payload is the body; what else there is to know stands in attributes, named alike at all destinations.
//! * CloudEvents 1.0, binary: the payload is the body; the attributes are those of CloudEvents.
//! * CloudEvents 1.0, structured: the body is a JSON document that holds attributes and payload.
//!
//! The headers of a message stay headers in all of them. A payload is never understood or changed; see `embed`.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;

use crate::message::Headers;
use crate::sink::{Delivery, Error, Run};

mod cloudevents;
pub(crate) mod embed;
#[cfg(test)]
mod tests;

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Format {
    /// The payload, and attributes that start with `posthaste-`.
    #[default]
    #[serde(rename = "plain")]
    Plain,
    /// A CloudEvent in structured mode: one JSON document.
    #[serde(rename = "cloudevents")]
    CloudEvents,
    /// A CloudEvent in binary mode: the payload, and attributes that start as the protocol's binding says.
    #[serde(rename = "cloudevents-binary")]
    CloudEventsBinary,
}

/// What a protocol makes of headers.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Before the name of a CloudEvents attribute in binary mode: `ce-` in HTTP, `ce_` in Kafka, `cloudEvents:` in AMQP.
    pub cloudevents_prefix: &'static str,
    /// Whether the binding writes what is not printable ASCII percent-encoded (HTTP, NATS) or leaves it alone (Kafka, AMQP).
    pub cloudevents_encoded: bool,
    /// Names the sink uses for itself, beside `content-type`; a message that brings one of them as a header is refused.
    pub reserved: &'static [&'static str],
}

/// The attributes of the plain format.
pub mod attribute {
    /// All of them start so.
    pub const PREFIX: &str = "posthaste-";
    /// The message's id.
    pub const ID: &str = "posthaste-id";
    /// The event type.
    pub const EVENT_TYPE: &str = "posthaste-event-type";
    /// The aggregate type.
    pub const AGGREGATE_TYPE: &str = "posthaste-aggregate-type";
    /// The aggregate id.
    pub const AGGREGATE_ID: &str = "posthaste-aggregate-id";
    /// The key.
    pub const KEY: &str = "posthaste-key";
    /// The tenant.
    pub const TENANT: &str = "posthaste-tenant";
    /// The user.
    pub const USER: &str = "posthaste-user";
    /// The correlation id.
    pub const CORRELATION_ID: &str = "posthaste-correlation-id";
    /// The occurred at.
    pub const OCCURRED_AT: &str = "posthaste-occurred-at";
    /// The source stream.
    pub const SOURCE_STREAM: &str = "posthaste-source-stream";
    /// The source event.
    pub const SOURCE_EVENT: &str = "posthaste-source-event";
    /// The destination.
    pub const DESTINATION: &str = "posthaste-destination";
    /// The position.
    pub const POSITION: &str = "posthaste-position";
    /// The hand-over that the receiver is to answer.
    pub const HAND_OVER: &str = "posthaste-hand-over";
}

/// A header's name and value.
pub type Pair<'a> = (Cow<'static, str>, Cow<'a, str>);

/// One message, ready to be sent.
#[derive(Debug)]
pub struct Formatted<'a> {
    /// The content type of the body.
    pub content_type: &'a str,
    /// The payload, or the document that holds it.
    pub body: Bytes,
    /// What the sink says about the message. Absent ones are left out.
    pub attributes: Vec<Pair<'a>>,
    /// What the message itself brings, in its order; no name is one of the attributes'.
    pub headers: &'a Headers,
}

impl Formatted<'_> {
    /// Attributes, then the message's own headers.
    pub fn all_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (&**name, &**value)).chain(self.headers.iter())
    }

    /// A line feed in a header is another header in many protocols. No message has one that was written through the library;
    /// one that was written by hand may.
    fn refuse_control_characters(&self) -> Result<(), Error> {
        let unfit = |text: &str| may_have_control_characters(text) && text.chars().any(char::is_control);
        // The names of attributes are ours.
        let attribute = self.attributes.iter().find(|(_, value)| unfit(value)).map(|(name, _)| &**name);
        let header = || self.headers.iter().find(|(name, value)| name.is_empty() || unfit(name) || unfit(value));
        match attribute.or_else(|| header().map(|(name, _)| name)) {
            None if unfit(self.content_type) => Err(Error::reject("the content type contains a control character")),
            Some(name) => Err(Error::reject(format_args!("{name:?} contains a control character, or has no name"))),
            None => Ok(()),
        }
    }

    /// What it weighs on the wire, without what a protocol adds.
    pub fn weight(&self) -> usize {
        self.body.len() + self.all_headers().map(|(name, value)| name.len() + value.len()).sum::<usize>()
    }
}

impl Format {
    /// Writes one message. An error is a reject.
    pub fn apply<'a>(self, dialect: Dialect, run: &'a Run, delivery: &'a Delivery) -> Result<Formatted<'a>, Error> {
        let message = &*delivery.message;
        self.refuse_reserved(dialect, &message.headers)?;
        let (content_type, body, attributes) = match self {
            Self::Plain => (message.content_type.as_str(), message.payload.clone(), plain(run, delivery)),
            Self::CloudEvents => (cloudevents::CONTENT_TYPE, cloudevents::document(delivery)?, Vec::new()),
            Self::CloudEventsBinary => {
                let attributes = cloudevents::headers(delivery, dialect);
                (message.content_type.as_str(), message.payload.clone(), attributes)
            }
        };
        let formatted = Formatted { content_type, body, attributes, headers: &message.headers };
        formatted.refuse_control_characters()?;
        Ok(formatted)
    }

    /// A consumer believes what the attributes say, so no message may bring one of its own.
    fn refuse_reserved(self, dialect: Dialect, headers: &Headers) -> Result<(), Error> {
        let prefix = match self {
            Self::Plain => attribute::PREFIX,
            Self::CloudEvents | Self::CloudEventsBinary => dialect.cloudevents_prefix,
        };
        let starts = |name: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        let reserved = |name: &str| {
            let names = dialect.reserved.iter().chain(&["content-type"]);
            starts(name) || names.into_iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
        };
        match headers.iter().find(|(name, _)| reserved(name)) {
            Some((name, _)) => {
                Err(Error::reject(format_args!("the message has a header {name:?}, a name that is reserved here")))
            }
            None => Ok(()),
        }
    }
}

/// Looks at bytes, which is quick: those of ASCII, and the first of the two that all others have in UTF-8.
fn may_have_control_characters(text: &str) -> bool {
    text.bytes().fold(false, |any, byte| any | (byte < 0x20) | (byte == 0x7F) | (byte == 0xC2))
}

fn plain<'a>(run: &'a Run, delivery: &'a Delivery) -> Vec<Pair<'a>> {
    let message = &*delivery.message;
    let origin = message.origin.as_ref();
    let texts = [
        (attribute::EVENT_TYPE, Some(message.event_type.as_str())),
        (attribute::AGGREGATE_TYPE, Some(&message.aggregate_type)),
        (attribute::AGGREGATE_ID, Some(&message.aggregate_id)),
        (attribute::KEY, message.key.as_deref()),
        (attribute::TENANT, message.tenant.as_deref()),
        (attribute::USER, message.user.as_deref()),
        (attribute::CORRELATION_ID, message.correlation_id.as_deref()),
        (attribute::SOURCE_STREAM, origin.map(|origin| origin.stream.as_str())),
        (attribute::SOURCE_EVENT, origin.map(|origin| origin.event.as_str())),
        (attribute::DESTINATION, Some(run.destination.as_str())),
        (attribute::HAND_OVER, delivery.hand_over.as_deref()),
    ];
    let mut attributes: Vec<Pair<'a>> = Vec::with_capacity(texts.len() + 3);
    attributes.push((attribute::ID.into(), message.id.to_string().into()));
    attributes.extend(texts.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into()))));
    attributes.push((attribute::OCCURRED_AT.into(), message.occurred_at.to_string().into()));
    attributes.push((attribute::POSITION.into(), delivery.position.to_string().into()));
    attributes
}
