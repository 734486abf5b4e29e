//! Deliveries set aside, and the keys that wait for them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Entry, Position};
use crate::message::{MessageId, OrderKey};

/// Why a delivery is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParkedState {
    /// Failed; will be tried again.
    Retrying,
    /// Its time has not come.
    Scheduled,
    /// Its tenant used up its rate.
    Throttled,
    /// Will not be tried again unless someone asks.
    Dead,
    /// Someone asked to deliver it again.
    Replay,
    /// Someone asked to let it go; the lane has not taken note yet.
    Discarding,
    /// Let go: never due, holds nobody, and stays on record for as long as its message.
    Discarded,
}

impl ParkedState {
    pub const ALL: [Self; 7] =
        [Self::Retrying, Self::Scheduled, Self::Throttled, Self::Dead, Self::Replay, Self::Discarding, Self::Discarded];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retrying => "retrying",
            Self::Scheduled => "scheduled",
            Self::Throttled => "throttled",
            Self::Dead => "dead",
            Self::Replay => "replay",
            Self::Discarding => "discarding",
            Self::Discarded => "discarded",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// One delivery set aside, as a lane writes it. Keyed by (destination, position); writing it again replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Park {
    pub position: Position,
    pub message: MessageId,
    pub key: Option<OrderKey>,
    pub state: ParkedState,
    /// The later messages of its key wait for it: a [`HeldKey`] stands beside it.
    pub holds: bool,
    /// Failed attempts so far.
    pub attempts: u32,
    /// How often a worker died while this was in flight (the crash-loop guard).
    pub kills: u32,
    /// Again after this long; `None` is never, unless someone asks.
    pub due_in: Option<Duration>,
    pub error: Option<String>,
    /// What the sink wants to know at the next attempt (which handlers are done, …).
    pub progress: Option<Vec<u8>>,
}

/// A parked delivery whose time has come.
#[derive(Debug, Clone)]
pub struct Due {
    pub entry: Entry,
    pub state: ParkedState,
    pub holds: bool,
    pub attempts: u32,
    pub kills: u32,
    pub progress: Option<Vec<u8>>,
}

/// Answer to [`Journal::due`](super::Journal::due).
#[derive(Debug, Clone, Default)]
pub struct DueBatch {
    /// Earliest due first.
    pub deliveries: Vec<Due>,
    /// How long until the next one that is not due yet.
    pub next_in: Option<Duration>,
}

/// A key with a cursor of its own: its messages in `(after, until]` wait, the lane has gone on without them.
///
/// This is how one key holds nobody else: however many messages queue up behind a bad one, they cost one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    pub key: OrderKey,
    /// Settled up to here.
    pub after: Position,
    /// The lane has passed the key's messages up to here.
    pub until: Position,
}

/// One failed attempt, or the success that followed failures; the timeline of `show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub position: Position,
    /// Counts from one.
    pub number: u32,
    /// `None` is a success.
    pub error: Option<String>,
    pub took: Duration,
}
