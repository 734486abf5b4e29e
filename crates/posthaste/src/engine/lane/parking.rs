//! Deliveries that cannot be made now, and the messages of their keys that wait behind them.

use std::time::Duration;

use super::key_queue::{Hold, Place, QueuedMessage};
use super::{Lane, QueueId};
use crate::engine::mistakes::Mistake;
use crate::journal::{Attempt, HeldKey, Park, ParkedState, Position};
use crate::retry::OnDead;
use crate::sink;

/// Why and how a delivery is parked.
#[derive(Debug)]
pub(in crate::engine) struct Parking {
    pub(in crate::engine) state: ParkedState,
    /// `None` is never, unless someone asks.
    pub(in crate::engine) due_in: Option<Duration>,
    pub(in crate::engine) failure: Option<Failure>,
}

impl Parking {
    /// Due at once: it is parked so that the store knows of it.
    pub(super) fn retry_at_once() -> Self {
        Self { state: ParkedState::Retrying, due_in: Some(Duration::ZERO), failure: None }
    }
}

/// An attempt that did not succeed.
#[derive(Debug)]
pub(in crate::engine) struct Failure {
    pub(in crate::engine) error: sink::Error,
    pub(in crate::engine) progress: Option<Vec<u8>>,
    pub(in crate::engine) took: Duration,
}

impl Lane {
    /// A delivery failed, or may not go now: it leaves its queue, and the rest of its key waits if the order asks for it.
    pub(super) fn park(&mut self, queue: QueueId, message: &QueuedMessage, parking: Parking) {
        let dead = parking.state == ParkedState::Dead;
        let skipped = dead && (self.deaths.on_dead == OnDead::Skip || self.mistakes.has(Mistake::DeadUnblocksKey));
        let ordered = self.queues[queue].key.is_some() && message.place != Place::Apart;
        let holds = ordered && !skipped && !self.mistakes.has(Mistake::RetryOvertaken);
        self.write_park(message, parking, holds);
        self.memory.remove(message);
        match message.place {
            Place::Cursor => {
                self.cursor.settle(message.position);
                self.unsaved.settled();
            }
            Place::HeldKey | Place::Head if !holds => self.settle_held(queue, message.position),
            _ => {}
        }
        if holds {
            self.hold_behind(queue, message.position);
        } else if skipped && ordered {
            self.await_commit(queue);
        }
        self.go_on(queue);
    }

    /// Hands nothing of this queue over before the store knows what was decided.
    pub(super) fn await_commit(&mut self, queue: QueueId) {
        self.queues[queue].awaits_commit = true;
        self.unsaved.awaits_commit(queue);
    }

    /// Everything of the key from `position` on waits; what is in memory of it is left to the store.
    fn hold_behind(&mut self, queue: QueueId, position: Position) {
        self.call_off(queue);
        let target = &mut self.queues[queue];
        let waiting = target.messages.split_off(target.in_flight);
        let mut until = position;
        for message in &waiting {
            if message.place == Place::Cursor {
                self.cursor.settle(message.position);
                until = message.position;
            }
            self.memory.remove(message);
        }
        if self.queues[queue].hold.is_none() {
            self.queues.hold(queue, Hold::starting_at(position));
            self.guard.hold_began(queue);
        }
        if let Some(hold) = &mut self.queues[queue].hold {
            hold.has_head = true;
            hold.loaded_to = position;
            hold.until = hold.until.max(until);
        }
        self.write_hold(queue);
    }

    /// Everything of a held key up to `position` is settled.
    pub(super) fn settle_held(&mut self, queue: QueueId, position: Position) {
        if let Some(hold) = &mut self.queues[queue].hold {
            hold.after = hold.after.max(position);
            hold.loaded_to = hold.loaded_to.max(position);
            hold.has_head = false;
            self.write_hold(queue);
        }
    }

    /// Has the store told how far a held key got.
    pub(super) fn write_hold(&mut self, queue: QueueId) {
        let target = &self.queues[queue];
        if let (Some(key), Some(hold)) = (&target.key, &target.hold) {
            self.unsaved.changes.hold(HeldKey { key: key.clone(), after: hold.after, until: hold.until });
        }
    }

    /// Has the store told of a letter, if the delivery is dead and somebody wants to know.
    fn write_letter(&mut self, message: &QueuedMessage, parking: &Parking) {
        let Some(letters) = self.deaths.letters.as_mut().filter(|_| parking.state == ParkedState::Dead) else { return };
        self.unsaved.changes.letter(letters.write(self.id, message, parking.failure.as_ref()));
    }

    /// Has the store told of a parked delivery.
    pub(super) fn write_park(&mut self, message: &QueuedMessage, parking: Parking, holds: bool) {
        self.write_letter(message, &parking);
        let (error, progress) = match parking.failure {
            Some(failure) => {
                // A death is no attempt that counts, but it has a line of its own in the timeline.
                let number = (message.attempts + message.suspicion.deaths_alone()).max(1);
                let took = failure.took;
                let error = Some(failure.error.text().to_owned());
                let attempt = Attempt { position: message.position, number, error, took, reply: None };
                self.unsaved.changes.attempt(attempt);
                // A sink that was cut off could say nothing about progress; what it said before still holds.
                (Some(failure.error.brief().to_owned()), failure.progress.or_else(|| message.progress().cloned()))
            }
            None => (None, message.progress().cloned()),
        };
        if self.mistakes.has(Mistake::ParkNotWritten) {
            return;
        }
        self.unsaved.park(Park {
            position: message.position,
            message: message.message.id,
            key: message.message.order_key(),
            state: parking.state,
            holds,
            attempts: message.attempts,
            suspicion: message.suspicion.code(),
            due_in: parking.due_in,
            error,
            progress,
        });
    }
}
