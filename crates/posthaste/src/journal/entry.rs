//! What is written to the journal, read from it, and removed from it.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::{Partition, Position};
use crate::message::Message;

/// One message at its place in the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it is.
    pub position: Position,
    /// The partition of its key.
    pub partition: Partition,
    /// The message as it was written.
    pub message: Arc<Message>,
    /// For a scheduled message that is not due yet: how long from now by the store's clock.
    pub due_in: Option<Duration>,
}

/// What an enqueue did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Enqueued {
    /// Messages that were new.
    pub stored: usize,
    /// Messages whose origin was stored before; writing them again is a quiet no-op.
    pub duplicates: usize,
}

/// What to read: everything in `partitions` after `after`, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Sorted, without repeats.
    pub partitions: Vec<Partition>,
    /// Nothing up to here.
    pub after: Position,
    /// Nothing beyond this; [`Position::END`] reads on as far as there is something.
    pub until: Position,
    /// So many entries at most.
    pub limit: usize,
    /// Stop when this much is gathered; the first entry is returned whatever it weighs ([`Message::weight`]).
    pub max_bytes: usize,
}

/// A stretch of the journal.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// In journal order.
    pub entries: Vec<Entry>,
    /// Everything asked for up to here is in `entries`. At least the position of the last entry, at most the request's `until`
    /// and the journal's newest position.
    pub upto: Position,
}

impl Batch {
    /// What was found up to `until` when no more than `limit` entries were looked for.
    pub fn limited(entries: Vec<Entry>, limit: usize, until: Position) -> Self {
        let cut = entries.last().filter(|_| entries.len() >= limit);
        Self { upto: cut.map_or(until, |last| last.position), entries }
    }
}

/// Whether there can be something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The store is sure that nothing was written since the last answer.
    Nothing,
    /// Something was written, or the store cannot tell.
    Maybe,
}

/// What a purge did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Messages that were removed.
    pub messages: u64,
    /// More is left to remove; call again.
    pub more: bool,
}
