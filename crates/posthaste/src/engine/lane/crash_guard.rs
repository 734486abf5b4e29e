//! The crash-loop guard: a message that kills its worker is found and stopped.
//!
//! After a worker died, whatever it may have had in flight is parked as a suspect, and each attempt of a suspect is counted in
//! the store *before* it is made. The first death is not counted (the normal path pays nothing), the second and third are; then
//! the message is dead. A suspect that was counted before goes alone, without any other suspect beside it, so that a bystander
//! does not share the blame.
//!
//! ```text
//!   in flight before ──parked──► suspected ──count──► awaits commit ──stored──► counted ──handed over──► cleared
//! ```

use std::collections::HashSet;

use foldhash::{HashMap, HashMapExt};

use super::QueueId;
use super::key_queue::QueuedMessage;
use crate::journal::Position;

/// Deaths that are counted before a message is dead; with the first, uncounted one it killed three workers.
const COUNTED_DEATHS: u32 = 2;

/// What may have been in flight when the holder before died.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct InFlightBefore {
    /// Nothing beyond this position existed then.
    pub(in crate::engine) until: Position,
    /// At most this many messages were in flight.
    pub(in crate::engine) messages: usize,
    /// At most this many messages of one key were in flight.
    pub(in crate::engine) messages_per_key: usize,
}

/// Suspects that are being counted or in flight, over all lanes of a worker.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::engine) struct Suspects {
    /// There is one.
    pub(in crate::engine) any: bool,
    /// There is one that was counted before and must be alone.
    pub(in crate::engine) lone: bool,
}

impl Suspects {
    /// Adds the suspects of another lane.
    pub(in crate::engine) fn add(&mut self, other: Self) {
        self.any |= other.any;
        self.lone |= other.lone;
    }
}

/// A suspect whose attempt is counted ahead.
#[derive(Debug)]
struct UnderWay {
    lone: bool,
    /// The count is stored, so that it may be handed over.
    counted: bool,
}

/// What the guard says of the message that is next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Clearance {
    /// It is no suspect, or its attempt is counted.
    Go,
    /// Its attempt has to be counted in the store first.
    CountFirst,
    /// Other suspects are under way.
    AfterOthers,
    /// It killed too many workers.
    Dead,
}

/// The crash-loop guard of one lane.
#[derive(Debug)]
pub(super) struct CrashGuard {
    /// Set until the lane is past what was in flight.
    before: Option<InFlightBefore>,
    /// Parked deliveries that were due when the lane was opened have been taken.
    due_seen: bool,
    /// Parked because they may have killed the worker before, and not delivered since.
    suspected: HashSet<Position>,
    /// Of held keys: how many of their next messages may have been in flight.
    behind_holds: HashMap<QueueId, usize>,
    under_way: HashMap<QueueId, UnderWay>,
}

impl CrashGuard {
    /// A guard; without anything in flight before, it stays out of the way.
    pub(super) fn new(before: Option<InFlightBefore>) -> Self {
        Self {
            before,
            due_seen: false,
            suspected: HashSet::new(),
            behind_holds: HashMap::new(),
            under_way: HashMap::new(),
        }
    }

    /// Whether a message that is read now may have been in flight before; counts it.
    pub(super) fn suspects_read(&mut self, position: Position) -> bool {
        let Some(before) = &mut self.before else { return false };
        let suspect = position <= before.until && before.messages > 0;
        before.messages = before.messages.saturating_sub(1);
        suspect
    }

    /// A key is held: its next messages may have been in flight before.
    pub(super) fn hold_began(&mut self, queue: QueueId) {
        if let Some(before) = self.before {
            self.behind_holds.insert(queue, before.messages_per_key);
        }
    }

    /// A key is held no more.
    pub(super) fn hold_ended(&mut self, queue: QueueId) {
        self.behind_holds.remove(&queue);
    }

    /// Whether the next message behind this queue's hold is a suspect.
    pub(super) fn suspects_behind_hold(&self, queue: QueueId) -> bool {
        !self.behind_holds.is_empty() && self.behind_holds.get(&queue).is_some_and(|left| *left > 0)
    }

    /// The next message behind this queue's hold is parked as a suspect.
    pub(super) fn passed_behind_hold(&mut self, queue: QueueId) {
        if let Some(left) = self.behind_holds.get_mut(&queue) {
            *left -= 1;
        }
    }

    /// The messages of a key are parked one after another, so one stays a suspect although the guard may have ended by the time
    /// it is due.
    pub(super) fn suspect(&mut self, position: Position) {
        self.suspected.insert(position);
    }

    /// The worker lived to see the outcome.
    pub(super) fn clear(&mut self, position: Position) {
        self.suspected.remove(&position);
    }

    /// Whether the first message of a queue may be handed over.
    pub(super) fn clearance(&mut self, queue: QueueId, first: &mut QueuedMessage, others: &mut Suspects) -> Clearance {
        let suspect = first.is_parked()
            && (self.before.is_some() || first.deaths > 0 || self.suspected.contains(&first.position));
        if !suspect || self.is_counted(queue) {
            return Clearance::Go;
        }
        if first.deaths >= COUNTED_DEATHS {
            return Clearance::Dead;
        }
        let lone = first.deaths > 0;
        if others.lone || (lone && others.any) {
            return Clearance::AfterOthers;
        }
        *others = Suspects { any: true, lone };
        first.deaths += 1;
        self.under_way.insert(queue, UnderWay { lone, counted: false });
        Clearance::CountFirst
    }

    /// The store knows of the attempt of this queue's suspect, if it has one.
    pub(super) fn counted(&mut self, queue: QueueId) {
        if let Some(suspect) = self.under_way.get_mut(&queue) {
            suspect.counted = true;
        }
    }

    /// Whether the next hand-over of this queue is a suspect whose attempt is counted.
    pub(super) fn is_counted(&self, queue: QueueId) -> bool {
        !self.under_way.is_empty() && self.under_way.get(&queue).is_some_and(|suspect| suspect.counted)
    }

    /// Whether this queue has a suspect that is being counted or in flight.
    pub(super) fn is_under_way(&self, queue: QueueId) -> bool {
        self.under_way.contains_key(&queue)
    }

    /// This queue's suspect has come back, or is not handed over after all.
    pub(super) fn came_back(&mut self, queue: QueueId) {
        if !self.under_way.is_empty() {
            self.under_way.remove(&queue);
        }
    }

    /// Queues with a suspect that is being counted or in flight.
    pub(super) fn queues_under_way(&self) -> Vec<QueueId> {
        self.under_way.keys().copied().collect()
    }

    /// Suspects of this lane that are being counted or in flight.
    pub(super) fn suspects(&self) -> Suspects {
        Suspects { any: !self.under_way.is_empty(), lone: self.under_way.values().any(|suspect| suspect.lone) }
    }

    /// Everything that was due when the store was asked has been taken.
    pub(super) fn due_seen(&mut self) {
        self.due_seen = true;
    }

    /// The guard ends when the lane is past what could have been in flight. `at_rest` says that nothing parked is in memory or on
    /// its way to the store.
    pub(super) fn end_if_past(&mut self, read_to: Position, at_rest: impl FnOnce() -> bool) {
        let read_past = |before: InFlightBefore| before.messages == 0 || read_to >= before.until;
        if self.due_seen && self.before.is_some_and(read_past) && at_rest() {
            self.before = None;
        }
    }
}
