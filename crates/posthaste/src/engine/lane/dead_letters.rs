//! The letters of a lane: what its dead-letter destination gets of each message that dies.

use super::LaneId;
use super::key_queue::QueuedMessage;
use super::parking::Failure;
use crate::destination::{Destination, Name};
use crate::message::Message;
use crate::retry::{OnDead, Verdict};
use crate::rules::dead_letter::{Death, DeathId, Reason, letter};

/// What follows when a message of a lane dies.
#[derive(Debug)]
pub(super) struct Deaths {
    /// Whether its key goes on.
    pub(super) on_dead: OnDead,
    pub(super) letters: Option<DeadLetters>,
}

impl Deaths {
    pub(super) fn of(dest: &Destination) -> Self {
        Self { on_dead: dest.policy.on_dead, letters: DeadLetters::of(dest) }
    }
}

/// Makes the letters of one lane under one lease.
#[derive(Debug)]
pub(super) struct DeadLetters {
    destination: Name,
    to: Name,
    /// Deaths so far.
    number: u64,
}

impl DeadLetters {
    /// Nothing, if the destination has no dead-letter destination.
    pub(super) fn of(dest: &Destination) -> Option<Self> {
        let to = dest.dead_letters_to.clone()?;
        Some(Self { destination: dest.name.clone(), to, number: 0 })
    }

    /// The letter about a message that has just died.
    pub(super) fn write(&mut self, lane: LaneId, message: &QueuedMessage, failure: Option<&Failure>) -> Message {
        self.number += 1;
        let reason = match failure.map(|failure| failure.error.verdict) {
            // An answer of the sink would have cleared it of this.
            _ if message.suspicion.deaths_alone() > 0 => Reason::KilledWorkers,
            Some(Verdict::Reject) => Reason::Rejected,
            _ => Reason::Attempts,
        };
        let death = Death {
            id: DeathId { partition: lane.partition, epoch: lane.epoch, number: self.number },
            destination: &self.destination,
            position: message.position,
            reason,
            attempts: message.attempts + message.suspicion.deaths_alone(),
            error: failure.map_or("", |failure| failure.error.brief()),
        };
        letter(&message.message, &self.to, &death)
    }
}
