//! What whoever was handed a message says about it afterwards.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An answer from outside, about a message that was handed over to be answered for; see
/// [`Destination::callback_timeout`](crate::Destination::callback_timeout).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Which hand-over it is about, as the hand-over itself said; `None` is about the one that waits now, whichever that is.
    pub hand_over: Option<String>,
    /// What became of the message.
    pub says: Says,
}

/// What became of a message in the hands of its receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Says {
    /// It is done.
    Sent,
    /// It is not.
    Failed {
        /// Whether another attempt may help.
        retry: bool,
        /// Why, for a person; without payload and secrets.
        reason: String,
    },
}

impl Says {
    /// Whether both say the same, in whichever words.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sent, Self::Sent) => true,
            (Self::Failed { retry, .. }, Self::Failed { retry: other, .. }) => retry == other,
            _ => false,
        }
    }
}

/// What an answer came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It counts, and is on record.
    Taken,
    /// The same was said before; nothing changes.
    Repeated,
    /// It does not count.
    Refused(Refusal),
}

/// Why an answer does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No such message goes to this destination.
    Unknown,
    /// No hand-over of it waits for an answer now.
    NotAwaited,
    /// The time for an answer was over.
    Late,
    /// Another hand-over waits than the one that was answered.
    OtherHandOver,
    /// Something else was said before.
    Contradicts,
    /// Someone discarded the message.
    Discarded,
}

impl Refusal {
    /// Its name, for machines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::NotAwaited => "not_awaited",
            Self::Late => "late",
            Self::OtherHandOver => "other_hand_over",
            Self::Contradicts => "contradicts",
            Self::Discarded => "discarded",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no such message goes to this destination",
            Self::NotAwaited => {
                "no hand-over of this message waits for an answer: it is not handed over yet, or its hand-over is not on record yet, or it \
                 failed before and will be handed over again"
            }
            Self::Late => {
                "the time for an answer is over, and the message is handed over again or dead: answer the next hand-over, and raise \
                 callback_timeout"
            }
            Self::OtherHandOver => "this hand-over is over, and the message was handed over again since: answer that one",
            Self::Contradicts => "another answer was given before, and that one counts",
            Self::Discarded => "someone discarded the message",
        })
    }
}
