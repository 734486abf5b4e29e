//! Making a message.

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;

use super::{Headers, Invalid, Limits, Message, MessageId, Origin, Text};

/// Collects the parts of a [`Message`] and checks them all at once in [`Builder::build`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder {
    message: Message,
    limits: Limits,
    unserializable: Option<String>,
}

impl Builder {
    pub(super) fn new(event_type: Text, aggregate_type: Text, aggregate_id: Text) -> Self {
        let message = Message {
            id: MessageId::generate(),
            event_type,
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
        };
        Self { message, limits: Limits::default(), unserializable: None }
    }

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

    /// The tenant that the message belongs to; keys of different tenants are different keys.
    pub fn tenant(mut self, tenant: impl Into<Text>) -> Self {
        self.message.tenant = Some(tenant.into());
        self
    }

    /// Who caused the event.
    pub fn user(mut self, user: impl Into<Text>) -> Self {
        self.message.user = Some(user.into());
        self
    }

    /// What ties this event to the request or process that it belongs to.
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

    /// Attempts before this message is dead, in place of the destination's own limit.
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

#[cfg(test)]
mod hostile;
