//! What the engine of a source says and hears.

use std::sync::Arc;
use std::time::Duration;

use super::super::StoreFailure;
use crate::journal::{Enqueued, Epoch, Ingest, Ingested, SourceGrant, SourceReport};
use crate::source::{Checkpoint, Error, Event, Made, Marker, Settled};

/// Identifies a reading: whatever an earlier one still says is not believed.
pub(crate) type ReadingId = u64;

/// What to do.
#[derive(Debug)]
pub(crate) enum SourceAction {
    /// Ask the store for the source, or for more time with it. Answered by [`SourceInput::Leased`].
    Lease { held: Option<Epoch>, report: SourceReport },
    /// Give the source back. Answered by [`SourceInput::Released`].
    Release { held: Epoch },
    /// Begin to read. Answered by [`SourceInput::Opened`].
    Open { reading: ReadingId, after: Option<Checkpoint> },
    /// Read on and make messages of it. Answered by [`SourceInput::Arrived`].
    Read { reading: ReadingId, limit: usize },
    /// Nobody wants to hear of this reading any more. Has no answer.
    Close { reading: ReadingId },
    /// Store this. Answered by [`SourceInput::Ingested`] with the same id.
    Ingest { id: u64, ingest: Ingest },
    /// Say what is to become of an event that the store refused, for this reason. Answered by [`SourceInput::Refused`].
    Refuse { event: Event, reason: String },
    /// Tell the log what became of events, and whether the journal has marked them. Has no answer.
    Settled { reading: ReadingId, events: Vec<(Event, Settled)>, marked: bool },
}

/// What happened.
#[derive(Debug)]
pub(crate) enum SourceInput {
    /// The store answered, or did not.
    Leased(Result<SourceGrant, StoreFailure>),
    /// A reading has begun, or not.
    Opened { reading: ReadingId, result: Result<Opened, Error> },
    /// Something was read.
    Arrived { reading: ReadingId, result: Result<Arrived, Error> },
    /// The store answered, or did not. `None`: the lease is gone.
    Ingested { id: u64, result: Result<Option<Ingested>, IngestFailure> },
    /// What becomes of the event that the store refused.
    Refused(Made),
    /// The source was given back, or not.
    Released,
    /// Store what was read, and give the source back.
    Stop,
}

/// What a reading says about itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened {
    /// Whether it wants to know what becomes of events.
    pub(crate) wants_settled: bool,
    /// How a journal in the same database marks them.
    pub(crate) marker: Option<Arc<dyn Marker>>,
}

/// What was read, and what was made of it.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) pieces: Vec<Piece>,
    /// Where reading goes on, if that is beyond the last event.
    pub(crate) beyond: Option<Checkpoint>,
    /// Whether this is the end of the log; `None` if it does not say.
    pub(crate) at_end: Option<bool>,
    /// How old the last event is.
    pub(crate) age: Option<Duration>,
}

/// An event, and what was made of it.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) event: Event,
    pub(crate) made: Made,
}

/// Why something was not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IngestFailure {
    /// The store said no, or the answer got lost.
    Store(StoreFailure),
    /// What was to be stored is wrong; repeating it will not help.
    Invalid(String),
}

/// What an operator should hear about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SourceEvent {
    /// The source is read by this worker from now on, after this checkpoint.
    Took { after: Option<Checkpoint> },
    /// It is no more, although nobody gave it back.
    Lost { why: &'static str },
    /// Events were stored.
    Stored { enqueued: Enqueued, events: u64, marked: bool },
    /// The journal cannot mark events together with their messages, although it is in the same database; the log marks them afterwards.
    MarkedApart { why: String },
    /// Nothing could be made of an event, and reading goes on.
    Refused { stream: String, event: String, reason: String, kept: bool },
    /// Nothing more is read until a person has seen to it.
    Stopped { why: String },
    /// Reading failed; it begins anew after a rest.
    Failed { error: String, rest: Duration },
    /// Reading goes on after it had failed.
    Recovered,
}

/// A source at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SourceSnapshot {
    pub(crate) held: bool,
    pub(crate) report: SourceReport,
    /// Events that are read and not stored.
    pub(crate) backlog: usize,
}
