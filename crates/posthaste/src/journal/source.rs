//! Who reads which source, and what was made of its events.

use serde::{Deserialize, Serialize};

use super::{Enqueued, Epoch, WorkerId};
use crate::destination::Name;
use crate::message::Message;
use crate::source::{Checkpoint, Marking};

/// Answer to [`Journal::lease_source`](super::Journal::lease_source).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceGrant {
    /// Present while the asking worker holds the source.
    pub lease: Option<SourceLease>,
    /// Whether an operator has paused it: nobody gets it then.
    pub paused: bool,
}

/// Ownership of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLease {
    /// Higher than that of every earlier lease of this source; fences every ingest.
    pub epoch: Epoch,
    /// Where reading goes on; `None` before anything was stored.
    pub checkpoint: Option<Checkpoint>,
}

/// What was made of some events of a source, to be stored in one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingest {
    /// The source they are of.
    pub source: Name,
    /// Who has read them; the lease must still be its own.
    pub worker: WorkerId,
    /// Under which lease.
    pub epoch: Epoch,
    /// In the order of the log.
    pub messages: Vec<Message>,
    /// Where reading goes on once this is stored.
    pub checkpoint: Checkpoint,
    /// What is added to the counts of the source.
    pub tally: Tally,
    /// The last of the events, `stream/id`, for people; `None` leaves what stands there.
    pub last_event: Option<String>,
    /// How the log wants these events marked. A journal at its place does so in the same transaction; any other leaves it alone.
    pub marking: Option<Marking>,
}

/// Answer to [`Journal::ingest`](super::Journal::ingest).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ingested {
    /// What was stored.
    pub enqueued: Enqueued,
    /// Whether the events are marked in their log.
    pub marked: Marked,
}

/// Whether a journal has marked events in their log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Marked {
    /// No: the log is elsewhere, or somebody keeps the rows locked.
    #[default]
    No,
    /// In the transaction that stored their messages.
    Together,
    /// No: the database does not let the journal do it, for this reason. The messages are stored.
    Refused(String),
}

/// Events by what was made of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Read.
    pub events: u64,
    /// Nothing was to be made of them.
    pub ignored: u64,
    /// Nothing could be made of them.
    pub refused: u64,
}

/// What the holder of a source tells about it, for `posthaste sources` and `status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    /// What it does.
    pub state: SourceState,
    /// What went wrong last, while it does; or why it has stopped.
    pub error: Option<String>,
    /// How old the last event was when it was read, in milliseconds; zero at the end of the log, `None` if it is not known.
    pub behind_ms: Option<u64>,
    /// Events read in the last second, more or less.
    pub events_per_second: u64,
}

/// What the holder of a source does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// It reads on, and there is more.
    #[default]
    Reading,
    /// It has read everything, and waits for more.
    CaughtUp,
    /// It rests after an error.
    Failing,
    /// An event cannot be made anything of, and a person has to see to it.
    Stopped,
}

impl SourceState {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::CaughtUp => "caught_up",
            Self::Failing => "failing",
            Self::Stopped => "stopped",
        }
    }
}
