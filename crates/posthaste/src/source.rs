//! A foreign log that is read into the journal.
//!
//! ```text
//!   Source::read_after(checkpoint) ─► Reading::next ─► events ─► Mapper ─► messages
//!                                                                            │
//!                              Journal::ingest: messages + checkpoint, one transaction, only if (worker, epoch) holds
//! ```
//!
//! A source reads and says what happened. It does not retry, log, count, map or decide: the engine does. Its checkpoint moves only with what
//! was stored, and the origin of a message (stream, event, destination) makes a repeat a quiet no-op: whatever breaks, reading goes on at the
//! stored checkpoint, and each event is in the journal once.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

pub use self::checkpoint::Checkpoint;
pub use self::event::Event;
pub use self::given::Given;
pub use self::made::{Made, REFUSED, made};
pub use self::mapper::{Mapper, Unmappable};
pub use self::marking::{Marker, Marking, Place, Statement};
pub use self::policy::{Feed, OnError};

mod checkpoint;
mod event;
mod given;
mod made;
mod mapper;
mod marking;
mod metadata;
mod policy;
pub mod rules;

/// What was read: some events in the order of the log, and where reading goes on after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// May be empty: a stretch of the log that has nothing for us moves the checkpoint too.
    pub events: Vec<Event>,
    /// Beyond the last event, if what follows it has nothing for us.
    pub beyond: Option<Checkpoint>,
    /// Whether this was the end of the log when it was read. `None` if the log does not say.
    pub at_end: Option<bool>,
}

/// Why reading failed, for a person; never with a payload or a secret. Reading begins anew at the stored checkpoint, after a rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    text: String,
    pause: Option<Duration>,
}

impl Error {
    /// Something failed that may work another time. A text that is longer than [`crate::sink::MAX_ERROR_BYTES`] is cut.
    pub fn new(text: impl fmt::Display) -> Self {
        let mut text = text.to_string();
        text.truncate(text.floor_char_boundary(crate::sink::MAX_ERROR_BYTES));
        Self { text, pause: None }
    }

    /// Nothing is wrong, and reading is to begin anew at once, such as at another server that the first has named.
    #[must_use]
    pub fn at_once(mut self) -> Self {
        self.pause = Some(Duration::ZERO);
        self
    }

    /// How long to wait before reading begins anew, where the source knows better than the engine.
    pub fn pause(&self) -> Option<Duration> {
        self.pause
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// What a database says, where that is the log.
impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Self::new(error)
    }
}

/// How an event ended that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It is in the journal, or nothing was to be made of it.
    Done,
    /// Nothing could be made of it, and the policy passes over it.
    Refused,
}

/// A log that messages are made from. Proven by `conformance::source_suite`.
#[async_trait]
pub trait Source: fmt::Debug + Send + Sync {
    /// Begins to read after a checkpoint, or where the source is set to start. One reading at a time is believed; another one may still be
    /// open while a dead connection lingers.
    async fn read_after(&self, checkpoint: Option<&Checkpoint>) -> Result<Box<dyn Reading>, Error>;

    /// Whether the log can be reached: what `posthaste check` calls.
    async fn check(&self) -> Result<(), Error>;

    /// The checkpoint that a person means by a text, or what is wrong with it.
    fn parse(&self, text: &str) -> Result<Checkpoint, String> {
        Checkpoint::new(text)
    }
}

/// A log that is being read. Dropping it ends the reading.
#[async_trait]
pub trait Reading: fmt::Debug + Send {
    /// Waits for more and returns up to `limit` events, in the order of the log; less if no more is there now. May be dropped at any await
    /// point, and loses nothing by that. After an error the reading is over.
    async fn next(&mut self, limit: usize) -> Result<Batch, Error>;

    /// What became of events of this reading, in order; only after the journal has committed them. For logs that keep the position
    /// themselves; may be dropped at any await point.
    async fn settled(&mut self, _events: &[(Event, Settled)]) -> Result<(), Error> {
        Ok(())
    }

    /// Whether [`Reading::settled`] wants to hear of events. Keeping them costs memory.
    fn wants_settled(&self) -> bool {
        false
    }

    /// How a journal in the same database marks events itself, together with their messages.
    fn marker(&self) -> Option<Arc<dyn Marker>> {
        None
    }

    /// In place of [`Reading::settled`] for events that the journal has marked, by what [`Reading::marker`] said.
    async fn marked(&mut self, _events: &[(Event, Settled)]) -> Result<(), Error> {
        Ok(())
    }
}
