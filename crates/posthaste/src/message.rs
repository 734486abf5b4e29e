//! The message: what an application writes, once, in its own transaction.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

pub use self::headers::Headers;
pub use self::limits::{Invalid, Limits};

mod headers;
mod limits;

/// A short text, kept in place up to 24 bytes: most names and keys of a message cost no allocation.
pub type Text = compact_str::CompactString;

/// Identity of a message: a UUIDv7 made once by the writer. Consumers drop repeats by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub Uuid);

impl MessageId {
    /// A new, time-ordered id.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for MessageId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// The ordering scope of a message: its key within its tenant. Messages of one order key are delivered one after another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct OrderKey {
    pub tenant: Option<Text>,
    pub key: Text,
}

impl fmt::Display for OrderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tenant {
            Some(tenant) => write!(f, "{} of tenant {tenant}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

/// Where a message came from when it was not born here; the pair (with the destination) is the idempotency fence.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Origin {
    pub stream: Text,
    pub event: Text,
}

/// A domain event on its way out. Immutable once written.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub event_type: Text,
    pub aggregate_type: Text,
    pub aggregate_id: Text,
    /// The ordering scope; `None` asks for no order.
    pub key: Option<Text>,
    pub payload: Bytes,
    pub content_type: Text,
    pub headers: Headers,
    pub tenant: Option<Text>,
    pub user: Option<Text>,
    pub correlation_id: Option<Text>,
    pub occurred_at: Timestamp,
    /// Not before this time; `None` is at once.
    pub due_at: Option<Timestamp>,
    /// Only to this destination, whatever the routes say.
    pub destination: Option<Text>,
    /// Overrides the destination's own limit.
    pub max_attempts: Option<u32>,
    pub origin: Option<Origin>,
}

impl Message {
    /// Starts a message about the aggregate `aggregate_type`/`aggregate_id`, which is also its key unless given another.
    pub fn builder(
        event_type: impl Into<Text>,
        aggregate_type: impl Into<Text>,
        aggregate_id: impl Into<Text>,
    ) -> Builder {
        let (aggregate_type, aggregate_id) = (aggregate_type.into(), aggregate_id.into());
        Builder {
            message: Message {
                id: MessageId::generate(),
                event_type: event_type.into(),
                key: Some(compact_str::format_compact!("{aggregate_type}/{aggregate_id}")),
                aggregate_type,
                aggregate_id,
                payload: Bytes::new(),
                content_type: "application/octet-stream".into(),
                headers: Headers::default(),
                tenant: None,
                user: None,
                correlation_id: None,
                occurred_at: crate::clock::now(),
                due_at: None,
                destination: None,
                max_attempts: None,
                origin: None,
            },
            limits: Limits::default(),
            unserializable: None,
        }
    }

    /// The scope in which this message keeps its order, if it asked for one.
    pub fn order_key(&self) -> Option<OrderKey> {
        self.key.as_ref().map(|key| OrderKey { tenant: self.tenant.clone(), key: key.clone() })
    }

    /// What the message weighs in memory, near enough for a bound.
    pub fn weight(&self) -> usize {
        // Struct, ids and allocator overhead of a typical message; measured with a heap profiler as 400 to 600 bytes.
        const FIXED_BYTES: usize = 512;
        FIXED_BYTES
            + self.payload.len()
            + self.headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
    }
}

/// Shows everything but the payload and header values, which may be secret or personal.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("id", &self.id.0)
            .field("event_type", &self.event_type)
            .field("aggregate", &format_args!("{}/{}", self.aggregate_type, self.aggregate_id))
            .field("key", &self.key)
            .field("tenant", &self.tenant)
            .field("payload_bytes", &self.payload.len())
            .finish_non_exhaustive()
    }
}

/// Collects the parts of a [`Message`] and checks them all at once in [`Builder::build`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    message: Message,
    limits: Limits,
    unserializable: Option<String>,
}

impl Builder {
    /// Raw bytes and what they are.
    pub fn payload(mut self, payload: impl Into<Bytes>, content_type: impl Into<Text>) -> Self {
        self.message.payload = payload.into();
        self.message.content_type = content_type.into();
        self
    }

    /// A payload serialised as JSON.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => self.payload(bytes, "application/json"),
            Err(error) => {
                self.unserializable = Some(error.to_string());
                self
            }
        }
    }

    /// The id, when the caller has made one already.
    pub fn id(mut self, id: MessageId) -> Self {
        self.message.id = id;
        self
    }

    /// Another ordering scope than the aggregate.
    pub fn key(mut self, key: impl Into<Text>) -> Self {
        self.message.key = Some(key.into());
        self
    }

    /// Asks for no order at all.
    pub fn unordered(mut self) -> Self {
        self.message.key = None;
        self
    }

    /// Appends a header; order and repeats are kept.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.message.headers.push(name, value);
        self
    }

    /// The W3C trace context of the writer, carried to the destination.
    pub fn traceparent(self, traceparent: impl Into<String>) -> Self {
        self.header(Headers::TRACEPARENT, traceparent)
    }

    pub fn tenant(mut self, tenant: impl Into<Text>) -> Self {
        self.message.tenant = Some(tenant.into());
        self
    }

    pub fn user(mut self, user: impl Into<Text>) -> Self {
        self.message.user = Some(user.into());
        self
    }

    pub fn correlation_id(mut self, correlation_id: impl Into<Text>) -> Self {
        self.message.correlation_id = Some(correlation_id.into());
        self
    }

    /// When the event happened; now, unless given.
    pub fn occurred_at(mut self, at: Timestamp) -> Self {
        self.message.occurred_at = at;
        self
    }

    /// Deliver not before this time.
    pub fn due_at(mut self, at: Timestamp) -> Self {
        self.message.due_at = Some(at);
        self
    }

    /// Deliver to this destination only.
    pub fn destination(mut self, name: impl Into<Text>) -> Self {
        self.message.destination = Some(name.into());
        self
    }

    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.message.max_attempts = Some(attempts);
        self
    }

    /// The foreign event this message was made from. A second message of the same origin and destination is not stored.
    pub fn origin(mut self, stream: impl Into<Text>, event: impl Into<Text>) -> Self {
        self.message.origin = Some(Origin { stream: stream.into(), event: event.into() });
        self
    }

    /// Checks against other limits than the default ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The message, or everything that is wrong with it.
    pub fn build(self) -> Result<Message, Invalid> {
        if let Some(reason) = self.unserializable {
            return Err(Invalid::payload(format!("cannot be written as JSON ({reason})")));
        }
        self.limits.check(&self.message)?;
        Ok(self.message)
    }
}
