//! What people call the status of a delivery.

use serde::{Deserialize, Serialize};

use crate::journal::ParkedState;

/// What people call the status of a delivery; derived, never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The lane has not come to it yet, or is busy with it.
    Pending,
    /// Settled and not parked.
    Delivered,
    /// Behind a held message of its key.
    Waiting,
    /// Failed; will be tried again.
    Retrying,
    /// Its time has not come.
    Scheduled,
    /// Its tenant used up its rate.
    Throttled,
    /// An operator has paused its tenant.
    Paused,
    /// Handed over; its receiver has not said yet what became of it.
    Awaiting,
    /// Will not be tried again unless someone asks.
    Dead,
    /// Someone asked to deliver it again.
    Replay,
    /// Someone discarded it; its lane has not taken note yet.
    Discarding,
    /// Someone discarded it.
    Discarded,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Pending,
        Self::Delivered,
        Self::Waiting,
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

    /// Its name, everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Waiting => "waiting",
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

    /// Whether nothing more will happen unless someone asks, and the message may be purged.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Delivered | Self::Discarded)
    }

    /// The status of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl From<ParkedState> for Status {
    fn from(state: ParkedState) -> Self {
        match state {
            ParkedState::Retrying => Self::Retrying,
            ParkedState::Scheduled => Self::Scheduled,
            ParkedState::Throttled => Self::Throttled,
            ParkedState::Paused => Self::Paused,
            ParkedState::Awaiting => Self::Awaiting,
            ParkedState::Dead => Self::Dead,
            ParkedState::Replay => Self::Replay,
            ParkedState::Discarding => Self::Discarding,
            ParkedState::Discarded => Self::Discarded,
        }
    }
}
