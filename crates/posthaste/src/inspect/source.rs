//! Sources as an operator sees them.

use jiff::Timestamp;
use serde::Serialize;

use crate::journal::{Epoch, SourceReport};
use crate::source::Checkpoint;

/// One source that was read into this journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceStatus {
    /// Its name.
    pub name: String,
    /// Whether an operator has paused it.
    pub paused: bool,
    /// Where reading goes on; `None` before anything was stored.
    pub checkpoint: Option<Checkpoint>,
    /// Who reads it, or read it last and let the lease expire.
    pub worker: Option<String>,
    /// Whether the lease of that worker still lasts.
    pub held: bool,
    /// How often it has changed hands.
    pub epoch: Epoch,
    /// Events read since it was first seen.
    pub events: u64,
    /// Messages made of them and stored.
    pub stored: u64,
    /// Messages that were stored before.
    pub duplicates: u64,
    /// Events of which nothing was to be made.
    pub ignored: u64,
    /// Events of which nothing could be made.
    pub refused: u64,
    /// The last event that was read, `stream/id`.
    pub last_event: Option<String>,
    /// When the checkpoint moved last.
    pub moved_at: Option<Timestamp>,
    /// What its holder said last.
    pub report: Option<SourceReport>,
}

/// What an operator does to a source. Each takes it away from whoever reads it, so that it begins anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceChange {
    /// Nobody reads it until it is resumed.
    Pause,
    /// Ends a pause, and makes one that has stopped try again.
    Resume,
    /// It goes on here, or at its beginning. What is still in the journal is not stored a second time.
    Rewind(Option<Checkpoint>),
}
