//! What becomes of what was handed over: confirmed, parked, or taken back.

use std::time::Duration;

use super::key_queue::{Place, QueuedMessage};
use super::parking::Parking;
use super::{Lane, QueueId};
use crate::journal::Attempt;

/// What a sink confirmed of a run.
pub(in crate::engine) struct Confirmed {
    /// So many leading messages.
    pub(in crate::engine) count: usize,
    pub(in crate::engine) took: Duration,
    /// What their receivers said; it may end early.
    pub(in crate::engine) replies: Vec<Option<String>>,
}

impl Lane {
    /// A sink answered: the first in flight were delivered, as many as it confirmed, and the next one was not, if there is one.
    /// `decide` says how that one is parked; without that it goes again later, and nothing is held against it. What was in flight
    /// behind it goes back into the queue. Returns whatever else `decide` says. Where receivers answer, a run is one message, and one that
    /// was delivered has only been handed over.
    pub(in crate::engine) fn settle<T>(
        &mut self,
        queue: QueueId,
        confirmed: Confirmed,
        decide: impl FnOnce(&mut QueuedMessage) -> (T, Option<Parking>),
    ) -> Option<T> {
        let Confirmed { count, took, replies } = confirmed;
        if count > 0 && self.awaits_answers() {
            self.await_answer(queue);
            return None;
        }
        let mut replies = replies.into_iter();
        for _ in 0..count {
            let message = self.pop_in_flight(queue)?;
            self.confirm(queue, &message, took, replies.next().flatten());
        }
        self.came_back(queue);
        let Some(mut failed) = self.pop_in_flight(queue) else {
            self.go_on(queue);
            return None;
        };
        self.queues[queue].in_flight = 0;
        self.clear_of_suspicion(&mut failed);
        let (told, parking) = decide(&mut failed);
        match parking {
            Some(parking) => self.park(queue, &failed, parking),
            None => self.take_back(queue, failed),
        }
        Some(told)
    }

    pub(super) fn pop_in_flight(&mut self, queue: QueueId) -> Option<QueuedMessage> {
        let target = &mut self.queues[queue];
        target.in_flight = target.in_flight.checked_sub(1)?;
        target.messages.pop_front()
    }

    /// A delivery is settled: confirmed after `took`. It is worth a line in the timeline if there is more to say than that.
    pub(super) fn confirm(&mut self, queue: QueueId, message: &QueuedMessage, took: Duration, reply: Option<String>) {
        match message.place {
            Place::Cursor => {
                self.cursor.settle(message.position);
                self.unsaved.settled();
            }
            Place::HeldKey => self.settle_held(queue, message.position),
            Place::Head => {
                self.unsaved.unpark(message.position);
                self.settle_held(queue, message.position);
            }
            Place::Apart => self.unsaved.unpark(message.position),
        }
        if message.is_parked() {
            self.guard.clear(message.position);
        }
        if message.is_parked() || reply.is_some() {
            let number = message.attempts + 1;
            self.unsaved.changes.attempt(Attempt { position: message.position, number, error: None, took, reply });
        }
        self.memory.remove(message);
    }

    /// The worker lived to see the outcome, so this message kills nobody. The store hears of it at once: an outage may keep
    /// the message in memory until a worker dies for another reason.
    pub(super) fn clear_of_suspicion(&mut self, message: &mut QueuedMessage) {
        self.guard.clear(message.position);
        if !std::mem::take(&mut message.suspicion).is_none() {
            self.rewrite(message);
        }
    }

    /// A message that was in flight goes again later.
    fn take_back(&mut self, queue: QueueId, message: QueuedMessage) {
        self.queues[queue].messages.push_front(message);
        self.go_on(queue);
    }

    /// Nothing of this queue is a suspect under way any more.
    pub(super) fn came_back(&mut self, queue: QueueId) {
        self.queues[queue].awaits_commit = false;
        if self.guard.came_back(queue) {
            self.await_commit(queue);
        }
    }

    /// What was in flight never reached the sink, or nobody waited for the answer, and goes again later. Nobody knows whether a
    /// suspect would have killed its worker.
    pub(in crate::engine) fn called_off(&mut self, queue: QueueId) {
        self.queues[queue].in_flight = 0;
        self.call_off(queue);
        self.go_on(queue);
    }

    /// Gives up everything that is in flight, because nobody waits for the answers any more.
    pub(in crate::engine) fn abandon(&mut self) {
        self.queues.iter_mut().for_each(|queue| queue.in_flight = 0);
        self.call_off_suspects();
    }

    /// Nothing more is handed over: what was noted ahead of deliveries is taken back.
    pub(in crate::engine) fn call_off_suspects(&mut self) {
        for queue in self.guard.queues_under_way() {
            self.call_off(queue);
        }
    }

    /// What was noted ahead of a delivery that is not made now is taken back.
    pub(super) fn call_off(&mut self, queue: QueueId) {
        if !self.guard.is_under_way(queue) || self.queues[queue].in_flight > 0 {
            return;
        }
        if let Some(first) = self.queues[queue].messages.front_mut() {
            first.suspicion = first.suspicion.step_back();
            self.rewrite_first(queue);
        }
        self.came_back(queue);
    }
}
