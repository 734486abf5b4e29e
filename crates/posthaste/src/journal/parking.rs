//! Parked deliveries, and the keys that wait for them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Entry, Position};
use crate::message::{MessageId, OrderKey};

/// Why a delivery is parked, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParkedState {
    /// Failed; will be tried again.
    Retrying,
    /// Its time has not come.
    Scheduled,
    /// Its tenant used up its rate.
    Throttled,
    /// Its tenant is paused.
    Paused,
    /// Handed over; its receiver has not said yet what became of it.
    Awaiting,
    /// Will not be tried again unless someone asks.
    Dead,
    /// Someone asked to deliver it again.
    Replay,
    /// Someone asked to discard it; the lane has not taken note yet.
    Discarding,
    /// It is never due, holds no key, and stays on record for as long as its message.
    Discarded,
}

impl ParkedState {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Retrying,
        Self::Scheduled,
        Self::Throttled,
        Self::Paused,
        Self::Awaiting,
        Self::Dead,
        Self::Replay,
        Self::Discarding,
        Self::Discarded,
    ];

    /// Its name, as stores keep it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retrying => "retrying",
            Self::Scheduled => "scheduled",
            Self::Throttled => "throttled",
            Self::Paused => "paused",
            Self::Awaiting => "awaiting",
            Self::Dead => "dead",
            Self::Replay => "replay",
            Self::Discarding => "discarding",
            Self::Discarded => "discarded",
        }
    }

    /// The state of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// One parked delivery, as a lane writes it. Keyed by (destination, position); writing it again replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Park {
    /// Where its message is.
    pub position: Position,
    /// The id of its message.
    pub message: MessageId,
    /// The ordering scope of its message, if it has one.
    pub key: Option<OrderKey>,
    /// Why it is parked.
    pub state: ParkedState,
    /// The later messages of its key wait for it: a [`HeldKey`] stands beside it.
    pub holds: bool,
    /// Failed attempts so far.
    pub attempts: u32,
    /// How far it is suspected of killing workers. The crash-loop guard alone knows what the number means; a store keeps it.
    pub suspicion: u32,
    /// Again after this long; `None` is never, unless someone asks.
    pub due_in: Option<Duration>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// What the sink wants to know at the next attempt (which handlers are done, …). Of one that is [`ParkedState::Awaiting`]: which
    /// hand-over waits, and its answer; [`rules::callback`](crate::rules::callback) alone knows what that means, a store keeps it.
    pub progress: Option<Vec<u8>>,
}

/// A parked delivery whose time has come.
#[derive(Debug, Clone)]
pub struct Due {
    /// Its message.
    pub entry: Entry,
    /// As it was parked, in this and the fields below.
    pub state: ParkedState,
    /// See [`Park::holds`].
    pub holds: bool,
    /// See [`Park::attempts`].
    pub attempts: u32,
    /// See [`Park::suspicion`].
    pub suspicion: u32,
    /// See [`Park::progress`].
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
/// This is how one key never holds another: however many messages queue up behind a bad one, they cost one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    /// Which key.
    pub key: OrderKey,
    /// Settled up to here.
    pub after: Position,
    /// The lane has passed the key's messages up to here.
    pub until: Position,
}

/// One failed attempt, or a success that followed failures or that the receiver replied to; the timeline of `show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Where its message is.
    pub position: Position,
    /// Counts from one.
    pub number: u32,
    /// `None` is a success.
    pub error: Option<String>,
    /// How long the sink took to answer.
    pub took: Duration,
    /// Of a success: what the receiver said.
    pub reply: Option<String>,
}
