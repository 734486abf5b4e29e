//! One event of a foreign log.

use std::fmt;

use bytes::Bytes;
use jiff::Timestamp;

use super::{Checkpoint, Given};
use crate::message::{Origin, Text};

/// An event as a log has it, before anything is made of it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Where reading goes on once this event is stored.
    pub checkpoint: Checkpoint,
    /// The stream, table or log that it was found in.
    pub stream: Text,
    /// Its own id there. With the stream it is the origin of whatever is made of it.
    pub id: Text,
    /// What happened, such as `payment.completed.v1`.
    pub event_type: Text,
    /// Its place in the stream, where the log has such numbers.
    pub revision: Option<u64>,
    /// When the log took it in.
    pub recorded_at: Option<Timestamp>,
    /// As the log has it.
    pub data: Bytes,
    /// The media type of the data.
    pub content_type: Text,
    /// What the log has beside the data; mostly JSON, or empty.
    pub metadata: Bytes,
    /// What the log says about the message to make.
    pub given: Option<Box<Given>>,
}

impl Event {
    /// An event without data.
    pub fn new(
        checkpoint: Checkpoint,
        stream: impl Into<Text>,
        id: impl Into<Text>,
        event_type: impl Into<Text>,
    ) -> Self {
        Self {
            checkpoint,
            stream: stream.into(),
            id: id.into(),
            event_type: event_type.into(),
            revision: None,
            recorded_at: None,
            data: Bytes::new(),
            content_type: "application/json".into(),
            metadata: Bytes::new(),
            given: None,
        }
    }

    /// With this data.
    #[must_use]
    pub fn data(mut self, data: impl Into<Bytes>, content_type: impl Into<Text>) -> Self {
        self.data = data.into();
        self.content_type = content_type.into();
        self
    }

    /// With this beside the data.
    #[must_use]
    pub fn metadata(mut self, metadata: impl Into<Bytes>) -> Self {
        self.metadata = metadata.into();
        self
    }

    /// With this about the message to make.
    #[must_use]
    pub fn given(mut self, given: Given) -> Self {
        self.given = Some(Box::new(given));
        self
    }

    /// At this place in its stream.
    #[must_use]
    pub fn revision(mut self, revision: u64) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Taken in by the log at this time.
    #[must_use]
    pub fn recorded_at(mut self, at: Timestamp) -> Self {
        self.recorded_at = Some(at);
        self
    }

    /// What it weighs in memory, near enough for a bound.
    pub fn weight(&self) -> usize {
        const FIXED_BYTES: usize = 256;
        FIXED_BYTES + self.data.len() + self.metadata.len()
    }

    /// What makes a second message of the same event a repeat.
    pub fn origin(&self) -> Origin {
        Origin { stream: self.stream.clone(), event: self.id.clone() }
    }
}

/// Shows neither data nor metadata, which may be secret or personal.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("stream", &self.stream)
            .field("id", &self.id)
            .field("event_type", &self.event_type)
            .field("revision", &self.revision)
            .field("data_bytes", &self.data.len())
            .finish_non_exhaustive()
    }
}
