//! One destination's way through one partition.
//!
//! The lane owns the order: it decides which message of a key may go next and records what became of it. It knows no clock,
//! store or sink; the destination feeds it entries and outcomes and asks it for runs and commits.

use self::callbacks::Callbacks;
use self::crash_guard::CrashGuard;
use self::cursor::LaneCursor;
use self::dead_letters::Deaths;
use self::key_queue::Hold;
use self::key_queues::KeyQueues;
pub(super) use self::key_queues::QueueId;
use self::memory::InMemory;
use self::notices::Notices;
use self::unsaved::Unsaved;
use super::mistakes::{Mistake, Mistakes};
use crate::destination::Destination;
use crate::journal::{Epoch, LaneState, Lease, Partition, Position};
use crate::message::Text;

pub(super) use self::crash_guard::{InFlightBefore, Suspects};
pub(super) use self::parking::{Failure, Parking};
pub(super) use self::serve::{Taken, Terms};
pub(super) use self::settle::Confirmed;

mod callbacks;
mod changes;
mod commit;
mod crash_guard;
mod cursor;
mod dead_letters;
mod held_key;
mod intake;
pub(super) mod key_queue;
mod key_queues;
mod memory;
mod notices;
mod parking;
mod serve;
mod settle;
mod unsaved;

/// A lane in the time of one lease. An answer for another epoch is for a lane that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LaneId {
    pub(super) partition: Partition,
    pub(super) epoch: Epoch,
}

impl From<Lease> for LaneId {
    fn from(lease: Lease) -> Self {
        Self { partition: lease.partition, epoch: lease.epoch }
    }
}

/// What the destination's reader keeps with each lane.
#[derive(Debug)]
pub(super) struct Reading {
    /// A read that includes this lane is under way.
    pub(super) under_way: bool,
    /// Everything up to here was read for this lane, though it may not have been taken in yet.
    pub(super) read_to: Position,
}

/// The order of one destination's messages in one partition.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) id: LaneId,
    deaths: Deaths,
    callbacks: Option<Callbacks>,
    mistakes: Mistakes,
    pub(super) cursor: LaneCursor,
    queues: KeyQueues,
    pub(super) memory: InMemory,
    unsaved: Unsaved,
    guard: CrashGuard,
    pub(super) notices: Notices,
    pub(super) reading: Reading,
    /// The lane finishes what is in flight and takes on nothing new.
    pub(super) draining: bool,
}

impl Lane {
    /// Goes on where the lane's holder before left off. If that one died, `in_flight_before` is delivered with care.
    pub(super) fn open(
        dest: &Destination,
        lease: Lease,
        state: LaneState,
        in_flight_before: InFlightBefore,
        mistakes: Mistakes,
    ) -> Self {
        let mut cursor = state.cursor;
        if mistakes.has(Mistake::DoneSetIgnored) {
            cursor.done.clear();
        }
        let mut lane = Self {
            id: lease.into(),
            deaths: Deaths::of(dest),
            callbacks: Callbacks::of(dest, lease.into()),
            mistakes,
            reading: Reading { under_way: false, read_to: cursor.low },
            cursor: LaneCursor::resume(cursor),
            queues: KeyQueues::default(),
            memory: InMemory::default(),
            unsaved: Unsaved::default(),
            guard: CrashGuard::new(lease.expired_before.then_some(in_flight_before), mistakes),
            notices: Notices::default(),
            draining: false,
        };
        for (held, has_head) in &state.held {
            let queue = lane.queues.for_key(Some(held.key.clone()));
            lane.queues.hold(queue, Hold::resume(held, *has_head));
            lane.guard.hold_began(queue);
            lane.go_on(queue);
        }
        lane
    }

    /// Keys whose messages wait behind a parked one.
    pub(super) fn held_keys(&self) -> usize {
        self.queues.held_keys()
    }

    /// Whose messages a queue has.
    pub(super) fn tenant_of(&self, queue: QueueId) -> Option<&Text> {
        self.queues.get(queue)?.messages.front()?.message.tenant.as_ref()
    }

    /// Nothing is with a sink.
    pub(super) fn is_quiet(&self) -> bool {
        self.queues.iter().all(|queue| queue.in_flight == 0)
    }

    /// Everything that was in flight is settled and recorded.
    pub(super) fn is_drained(&self) -> bool {
        self.is_quiet() && !self.has_unsaved_changes() && !self.unsaved.is_committing()
    }

    /// Suspects of this lane that are being noted or in flight.
    pub(super) fn suspects(&self) -> Suspects {
        self.guard.suspects()
    }

    /// Finds out what a queue does next: be served, read on behind its hold, be freed, or be forgotten.
    fn go_on(&mut self, queue: QueueId) {
        let forgetful = self.mistakes.has(Mistake::FollowersForgotten);
        let target = &mut self.queues[queue];
        let idle = target.messages.is_empty();
        if let Some(hold) = target.hold.as_mut().filter(|hold| idle && !hold.has_head && !hold.reading) {
            if hold.loaded_to < hold.until && !forgetful {
                hold.reading = true;
                self.notices.keys_to_read.push(queue);
            } else {
                self.free(queue);
            }
        }
        self.announce(queue);
        self.queues.forget_if_spent(queue);
    }

    /// Nothing waits behind the key any more.
    fn free(&mut self, queue: QueueId) {
        self.queues.free(queue);
        self.guard.hold_ended(queue);
        self.notices.freed = true;
        if let Some(key) = &self.queues[queue].key {
            self.unsaved.changes.free(key.clone());
        }
    }

    /// Tells the destination of a queue that became servable.
    fn announce(&mut self, queue: QueueId) {
        let target = &mut self.queues[queue];
        let hasty = self.mistakes.has(Mistake::TwoRunsPerKey) && !target.messages.is_empty();
        if (target.is_servable() || hasty) && !target.ready {
            target.ready = true;
            self.notices.ready.push(queue);
        }
    }
}
