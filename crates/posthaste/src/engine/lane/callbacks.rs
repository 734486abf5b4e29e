//! Hand-overs whose receivers say later what became of them.
//!
//! A message that was handed over is parked as awaiting and holds its key. It is due when it was answered, or when the time for an
//! answer is over; then it is settled or parked anew here, without another hand-over. The record outlives the worker, so that whoever
//! holds the partition then goes on waiting.

use std::time::Duration;

use super::key_queue::{Place, QueuedMessage};
use super::parking::Parking;
use super::{Lane, LaneId, QueueId};
use crate::destination::Destination;
use crate::engine::mistakes::Mistake;
use crate::journal::{Due, ParkedState};
use crate::rules::callback::{Awaited, Ended};

/// Names the hand-overs of one lane under one lease.
#[derive(Debug)]
pub(super) struct Callbacks {
    pub(super) within: Duration,
    lane: LaneId,
    number: u64,
}

impl Callbacks {
    /// Nothing, if the sink's word is enough.
    pub(super) fn of(dest: &Destination, lane: LaneId) -> Option<Self> {
        Some(Self { within: dest.callback_timeout?, lane, number: 0 })
    }

    /// A name that no other hand-over of the partition has, for no other lease has this epoch.
    pub(super) fn name_next(&mut self) -> String {
        self.number += 1;
        format!("{}-{}", self.lane.epoch, self.number)
    }
}

impl Lane {
    /// Whether what a sink has confirmed still waits for an answer from outside.
    pub(super) fn awaits_answers(&self) -> bool {
        self.callbacks.is_some() && !self.mistakes.has(Mistake::DeliveredAtHandOver)
    }

    /// The message in flight was handed over: it waits for its answer, and its key for it.
    pub(super) fn await_answer(&mut self, queue: QueueId) {
        self.came_back(queue);
        let within = self.callbacks.as_ref().map(|callbacks| callbacks.within);
        let Some((mut message, within)) = self.pop_in_flight(queue).zip(within) else { return };
        self.clear_of_suspicion(&mut message);
        let history = message.history.get_or_insert_default();
        let hand_over = history.hand_over.take().unwrap_or_default();
        history.progress = Some(Awaited::new(hand_over, within).record());
        self.park(queue, &message, Parking { state: ParkedState::Awaiting, due_in: Some(within), failure: None });
    }

    /// Takes a delivery whose wait for an answer is over. `decide` says how it is parked if it failed. Returns whatever else `decide` says,
    /// or that it was delivered.
    pub(in crate::engine) fn take_answer<T>(
        &mut self,
        due: Due,
        commits: u64,
        decide: impl FnOnce(&mut QueuedMessage, Ended) -> (T, Option<Parking>),
    ) -> Option<Result<(), T>> {
        let position = due.entry.position;
        if self.memory.has_parked(position) || self.is_touched(position, commits) {
            return None;
        }
        let ended = Awaited::stored(due.progress.as_deref()).unwrap_or_else(Awaited::unreadable).end();
        let queue = self.queues.for_key(due.entry.message.order_key());
        let mut message = QueuedMessage::parked(due);
        if message.place == Place::Head && self.queues[queue].hold.is_none() {
            message.place = Place::Apart;
        }
        self.memory.add(&message);
        if ended.failure.is_none() {
            self.confirm(queue, &message, ended.took, None);
            self.go_on(queue);
            return Some(Ok(()));
        }
        let (told, parking) = decide(&mut message, ended);
        self.guard.clear(position);
        self.park(queue, &message, parking.unwrap_or_else(Parking::retry_at_once));
        Some(Err(told))
    }
}
