//! What a lane hands over next.

use std::time::Duration;

use super::crash_guard::{Clearance, Suspects};
use super::key_queue::{Place, QueuedMessage};
use super::parking::{Failure, Parking};
use super::{Lane, QueueId};
use crate::destination::Name;
use crate::engine::mistakes::Mistake;
use crate::engine::protocol::Failed;
use crate::journal::ParkedState;
use crate::message::{Message, MessageId};
use crate::rules::tenant::LOOKED_AT_AGAIN_IN;
use crate::sink::{self, Delivery};

/// What serving a queue came to.
#[derive(Debug)]
pub(in crate::engine) enum Taken {
    /// Hand these over.
    Run {
        deliveries: Vec<Delivery>,
        /// And nothing together with them, for they may kill their worker.
        alone: bool,
    },
    /// Other suspects are under way; ask again when they are back.
    AfterSuspects,
    /// Nothing to hand over now; the lane has taken note why.
    Nothing,
    /// This message killed too many workers and was declared dead.
    Dead(MessageId),
    /// The destination's filter cannot be asked about this message, and it was declared dead.
    Unfit(Failed),
}

/// What the destination knows and a lane does not.
pub(in crate::engine) struct Terms<'a> {
    pub(in crate::engine) destination: &'a Name,
    pub(in crate::engine) now: Duration,
    pub(in crate::engine) max_run: usize,
    /// How long a partition stays with a worker that says nothing.
    pub(in crate::engine) lease_ttl: Duration,
    pub(in crate::engine) max_worker_deaths: u32,
    pub(in crate::engine) suspects: &'a mut Suspects,
    /// Whether an operator has paused the tenant.
    pub(in crate::engine) is_paused: &'a dyn Fn(&Message) -> bool,
    /// Charges the tenant's rate: how long the message has to wait for its turn.
    pub(in crate::engine) charge: &'a mut dyn FnMut(&Message) -> Duration,
}

impl Lane {
    /// Takes the next run of a queue, if it may go.
    pub(in crate::engine) fn take_run(&mut self, queue: QueueId, terms: &mut Terms<'_>) -> Taken {
        let Some(target) = self.queues.get_mut(queue) else { return Taken::Nothing };
        target.ready = false;
        if self.draining || !(target.is_servable() || self.serves_keys_twice()) {
            self.queues.forget_if_spent(queue);
            return Taken::Nothing;
        }
        if self.park_suspect_behind_hold(queue) {
            return Taken::Nothing;
        }
        let Some(first) = self.queues[queue].messages.front_mut() else { return Taken::Nothing };
        if first.why_unfit().is_some() {
            return self.refuse(queue, terms.destination);
        }
        match self.guard.clearance(queue, first, terms.max_worker_deaths, terms.suspects) {
            Clearance::Go => self.collect(queue, terms),
            Clearance::NoteFirst => self.note_first(queue),
            Clearance::AfterOthers => self.serve_later(queue),
            Clearance::Rest => self.rest(queue, terms.lease_ttl),
            Clearance::Dead => self.declare_dead(queue),
        }
    }

    fn serves_keys_twice(&self) -> bool {
        self.mistakes.has(Mistake::TwoRunsPerKey) || self.mistakes.has(Mistake::KeyTwiceInHandOver)
    }

    /// Leaves a queue among the ready ones.
    fn serve_later(&mut self, queue: QueueId) -> Taken {
        self.queues[queue].ready = true;
        Taken::AfterSuspects
    }

    /// A key that was catching up when the worker before died: its next messages are suspects too, and are parked as such.
    fn park_suspect_behind_hold(&mut self, queue: QueueId) -> bool {
        if !self.guard.suspects_behind_hold(queue) {
            return false;
        }
        let messages = &mut self.queues[queue].messages;
        let Some(message) = messages.pop_front_if(|message| message.place == Place::HeldKey) else { return false };
        self.guard.passed_behind_hold(queue);
        self.park_suspect(queue, &message);
        true
    }

    /// Parks a message that may have killed the worker before.
    pub(super) fn park_suspect(&mut self, queue: QueueId, message: &QueuedMessage) {
        self.guard.suspect(message.position);
        self.park(queue, message, Parking::retry_at_once());
    }

    /// Has the attempt of a suspect noted in the store before it is made.
    fn note_first(&mut self, queue: QueueId) -> Taken {
        self.await_commit(queue);
        self.rewrite_first(queue);
        Taken::Nothing
    }

    /// Writes the first message of a queue, which is parked, as it is now.
    pub(super) fn rewrite_first(&mut self, queue: QueueId) {
        if let Some(first) = self.queues[queue].messages.front().cloned() {
            self.rewrite(&first);
        }
    }

    /// Writes a parked message as it is now.
    pub(super) fn rewrite(&mut self, message: &QueuedMessage) {
        self.write_park(message, Parking::retry_at_once(), message.place == Place::Head);
    }

    /// Collects messages until the run is full, the tenant's rate is used up, or one must go by itself.
    fn collect(&mut self, queue: QueueId, terms: &mut Terms<'_>) -> Taken {
        let alone = self.guard.is_noted(queue);
        let max_run = if alone { 1 } else { terms.max_run };
        let mut deliveries = Vec::with_capacity(max_run.min(self.queues[queue].messages.len()));
        while deliveries.len() < max_run {
            let target = &mut self.queues[queue];
            let Some(message) = target.messages.get_mut(target.in_flight) else { break };
            // A delivery out of its key's order goes by itself, and one that is unfit not at all.
            let apart = message.place == Place::Apart;
            if (apart || message.why_unfit().is_some()) && !deliveries.is_empty() {
                break;
            }
            if (terms.is_paused)(&message.message) {
                if deliveries.is_empty() {
                    self.wait_for_tenant(queue);
                }
                break;
            }
            let turn = *message.reserved.get_or_insert_with(|| terms.now + (terms.charge)(&message.message));
            if turn > terms.now {
                if deliveries.is_empty() {
                    self.throttle(queue, turn - terms.now);
                }
                break;
            }
            if let Some(callbacks) = &mut self.callbacks {
                message.history.get_or_insert_default().hand_over = Some(callbacks.name_next());
            }
            deliveries.push(delivery(message));
            target.in_flight += 1;
            if apart {
                break;
            }
        }
        if self.mistakes.has(Mistake::MarkBeforePublish) {
            deliveries.iter().for_each(|delivery| self.cursor.settle(delivery.position));
        }
        if deliveries.is_empty() { Taken::Nothing } else { Taken::Run { deliveries, alone } }
    }

    /// The tenant is paused: its message waits outside, and its key with it. One that goes out once more has to be known as such later.
    fn wait_for_tenant(&mut self, queue: QueueId) {
        let Some(message) = self.take_out_next(queue) else { return };
        let state = if message.is_replayed() { ParkedState::Replay } else { ParkedState::Paused };
        self.park(queue, &message, Parking { state, due_in: Some(LOOKED_AT_AGAIN_IN), failure: None });
    }

    /// The first message of a queue that is not in flight; it is not tried now.
    fn take_out_next(&mut self, queue: QueueId) -> Option<QueuedMessage> {
        let noted = self.guard.is_noted(queue);
        let in_flight = self.queues[queue].in_flight;
        let mut message = self.queues[queue].messages.remove(in_flight)?;
        if noted {
            message.suspicion = message.suspicion.step_back();
        }
        self.came_back(queue);
        Some(message)
    }

    /// The tenant used up its rate: its message waits outside, and its key with it.
    fn throttle(&mut self, queue: QueueId, wait: Duration) {
        let Some(message) = self.take_out_next(queue) else { return };
        if self.mistakes.has(Mistake::ThrottledDropped) {
            self.confirm(queue, &message, Duration::ZERO, None);
            return self.go_on(queue);
        }
        self.park(queue, &message, Parking { state: ParkedState::Throttled, due_in: Some(wait), failure: None });
    }

    /// The worker before died while the first message of a queue was alone in flight: that goes into its timeline, and it rests.
    fn rest(&mut self, queue: QueueId, lease_ttl: Duration) -> Taken {
        let Some(mut message) = self.queues[queue].messages.pop_front() else { return Taken::Nothing };
        let due_in = Some(message.suspicion.rest(lease_ttl));
        message.suspicion = message.suspicion.step();
        let failure = Some(death("a worker died while delivering this message alone".into()));
        self.park(queue, &message, Parking { state: ParkedState::Retrying, due_in, failure });
        Taken::Nothing
    }

    /// Declares the first message of a queue dead, because it took its worker down too often.
    fn declare_dead(&mut self, queue: QueueId) -> Taken {
        let Some(message) = self.queues[queue].messages.pop_front() else { return Taken::Nothing };
        let deaths = message.suspicion.deaths_alone();
        let failure = death(format!("{deaths} workers in a row died while delivering this message alone"));
        self.park(queue, &message, Parking { state: ParkedState::Dead, due_in: None, failure: Some(failure) });
        Taken::Dead(message.message.id)
    }
}

impl Lane {
    /// Declares the first message of a queue dead, because the destination's filter cannot be asked about it.
    fn refuse(&mut self, queue: QueueId, destination: &Name) -> Taken {
        let Some(mut message) = self.queues[queue].messages.pop_front() else { return Taken::Nothing };
        let why = message.why_unfit().unwrap_or_default().to_owned();
        message.attempts += 1;
        self.guard.clear(message.position);
        std::mem::take(&mut message.suspicion);
        let failure = death(why.clone());
        self.park(queue, &message, Parking { state: ParkedState::Dead, due_in: None, failure: Some(failure) });
        let (destination, attempts) = (destination.clone(), message.attempts);
        Taken::Unfit(Failed { destination, message: message.message, attempts, error: why, retry_in: None })
    }
}

/// An attempt without an answer of the sink: its worker did not survive it, or it was not made.
fn death(error: String) -> Failure {
    Failure { error: sink::Error::reject(error), progress: None, took: Duration::ZERO }
}

fn delivery(message: &QueuedMessage) -> Delivery {
    Delivery {
        message: message.message.clone(),
        position: message.position,
        attempt: message.attempts + 1,
        progress: message.progress().cloned(),
        replayed: message.is_replayed(),
        hand_over: message.history.as_ref().and_then(|history| history.hand_over.clone()),
    }
}
