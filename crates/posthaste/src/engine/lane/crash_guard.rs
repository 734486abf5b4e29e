//! The crash-loop guard: a message that kills its worker is found and stopped.
//!
//! After a worker died, whatever it may have had in flight is parked as a suspect. Each attempt of a suspect is noted in the store
//! *before* it is made, so that the next worker knows what was under way; [`Suspicion`](crate::rules::suspicion::Suspicion) says what follows from that. The normal
//! path pays nothing.
//!
//! ```text
//!   in flight before ──parked──► suspected ──note──► awaits commit ──stored──► noted ──handed over──► cleared
//! ```

use std::collections::HashSet;

use foldhash::{HashMap, HashMapExt};

use super::QueueId;
use super::key_queue::QueuedMessage;
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::journal::Position;
use crate::rules::suspicion::Next;

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

/// Suspects that are being noted or in flight, over all lanes of a worker.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::engine) struct Suspects {
    /// There is one.
    pub(in crate::engine) any: bool,
    /// There is one that must be alone.
    pub(in crate::engine) lone: bool,
}

impl Suspects {
    /// Adds the suspects of another lane.
    pub(in crate::engine) fn add(&mut self, other: Self) {
        self.any |= other.any;
        self.lone |= other.lone;
    }
}

/// A suspect whose attempt is noted ahead.
#[derive(Debug)]
struct UnderWay {
    lone: bool,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The store does not know of the attempt yet.
    AwaitsNote,
    /// The store knows, so that it may be handed over.
    Noted,
    /// It has come back, and the store does not know yet. If the next suspect killed the worker now, this one would look as if it
    /// had been alone in flight, too.
    AwaitsRecord,
}

/// What the guard says of the message that is next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Clearance {
    /// It is no suspect, or its attempt is noted.
    Go,
    /// Its attempt has to be noted in the store first.
    NoteFirst,
    /// Other suspects are under way.
    AfterOthers,
    /// Its worker died while it was alone: it rests before its next attempt.
    Rest,
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
    mistakes: Mistakes,
}

impl CrashGuard {
    /// A guard; without anything in flight before, it stays out of the way.
    pub(super) fn new(before: Option<InFlightBefore>, mistakes: Mistakes) -> Self {
        Self {
            before: before.filter(|_| !mistakes.has(Mistake::CrashLoopUnguarded)),
            due_seen: false,
            suspected: HashSet::new(),
            behind_holds: HashMap::new(),
            under_way: HashMap::new(),
            mistakes,
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
    pub(super) fn clearance(
        &mut self,
        queue: QueueId,
        first: &mut QueuedMessage,
        max_worker_deaths: u32,
        others: &mut Suspects,
    ) -> Clearance {
        let suspect = first.is_parked()
            && (self.before.is_some() || !first.suspicion.is_none() || self.suspected.contains(&first.position));
        if !suspect || self.is_noted(queue) {
            return Clearance::Go;
        }
        let lone = match first.suspicion.next(max_worker_deaths) {
            Next::Dead => return Clearance::Dead,
            Next::Rest => return Clearance::Rest,
            Next::InCompany => false,
            Next::Alone => !self.mistakes.has(Mistake::SuspectsTogether),
        };
        if others.lone || (lone && others.any) {
            return Clearance::AfterOthers;
        }
        *others = Suspects { any: true, lone };
        first.suspicion = first.suspicion.step();
        self.under_way.insert(queue, UnderWay { lone, stage: Stage::AwaitsNote });
        Clearance::NoteFirst
    }

    /// The store knows what is to be known of this queue's suspect, if it has one.
    pub(super) fn committed(&mut self, queue: QueueId) {
        match self.under_way.get_mut(&queue) {
            Some(UnderWay { stage: Stage::AwaitsRecord, .. }) => drop(self.under_way.remove(&queue)),
            Some(suspect) => suspect.stage = Stage::Noted,
            None => {}
        }
    }

    /// Whether the next hand-over of this queue is a suspect whose attempt is noted.
    pub(super) fn is_noted(&self, queue: QueueId) -> bool {
        !self.under_way.is_empty() && self.under_way.get(&queue).is_some_and(|suspect| suspect.stage == Stage::Noted)
    }

    /// Whether this queue has a suspect that is being noted or in flight.
    pub(super) fn is_under_way(&self, queue: QueueId) -> bool {
        self.under_way.get(&queue).is_some_and(|suspect| suspect.stage != Stage::AwaitsRecord)
    }

    /// This queue's suspect has come back, or is not handed over after all. True if the store has to know of it before anything
    /// else of the queue is handed over.
    pub(super) fn came_back(&mut self, queue: QueueId) -> bool {
        if self.under_way.is_empty() {
            return false;
        }
        let lone = self.under_way.get_mut(&queue).filter(|suspect| suspect.lone);
        match lone {
            Some(suspect) => suspect.stage = Stage::AwaitsRecord,
            None => drop(self.under_way.remove(&queue)),
        }
        self.under_way.contains_key(&queue)
    }

    /// Queues with a suspect that is being noted, in flight or being recorded.
    pub(super) fn queues_under_way(&self) -> Vec<QueueId> {
        self.under_way.keys().copied().collect()
    }

    /// Suspects of this lane that are being noted, in flight or being recorded.
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
