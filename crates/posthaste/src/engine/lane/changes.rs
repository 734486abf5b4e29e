//! What a lane has decided and the store does not know yet.
//!
//! Changes gather here between two commits. A commit takes them all; if its answer is lost they come back under whatever
//! was decided since, and because every value is absolute, sending them twice is the same as once.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::journal::{Attempt, HeldKey, LaneCommit, Park, Position};
use crate::message::{Message, OrderKey};

/// Uncommitted decisions of one lane; the latest one about a position or key wins.
#[derive(Debug, Default)]
pub(in crate::engine) struct Changes {
    parked: BTreeMap<Position, ParkedChange>,
    /// What waits for a paused tenant is to be looked at again.
    recall: bool,
    /// `None` frees the key.
    held: HashMap<OrderKey, Option<HeldKey>>,
    attempts: Vec<Attempt>,
    /// For the dead-letter destination.
    letters: Vec<Message>,
}

/// What becomes of a parked delivery.
#[derive(Debug)]
enum ParkedChange {
    Parked(Park),
    Settled,
    Discarded,
}

impl Changes {
    /// Writes a parked delivery, or writes it anew.
    pub(in crate::engine) fn park(&mut self, park: Park) {
        self.parked.insert(park.position, ParkedChange::Parked(park));
    }

    /// Settles a parked delivery.
    pub(in crate::engine) fn unpark(&mut self, position: Position) {
        self.parked.insert(position, ParkedChange::Settled);
    }

    /// Takes note that someone discarded a parked delivery.
    pub(in crate::engine) fn discard(&mut self, position: Position) {
        self.parked.insert(position, ParkedChange::Discarded);
    }

    /// Has everything looked at again that waits for a paused tenant.
    pub(in crate::engine) fn recall(&mut self) {
        self.recall = true;
    }

    /// Writes how far a held key got.
    pub(in crate::engine) fn hold(&mut self, held: HeldKey) {
        self.held.insert(held.key.clone(), Some(held));
    }

    /// Frees a held key.
    pub(in crate::engine) fn free(&mut self, key: OrderKey) {
        self.held.insert(key, None);
    }

    /// Adds an attempt to the timeline.
    pub(in crate::engine) fn attempt(&mut self, attempt: Attempt) {
        self.attempts.push(attempt);
    }

    /// Adds a letter about a message that died.
    pub(in crate::engine) fn letter(&mut self, letter: Message) {
        self.letters.push(letter);
    }

    /// Forgets the letters.
    pub(in crate::engine) fn forget_letters(&mut self) {
        self.letters.clear();
    }

    /// Nothing gathered. A letter never comes alone.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.parked.is_empty() && !self.recall && self.held.is_empty() && self.attempts.is_empty()
    }

    /// How many parked deliveries change.
    pub(in crate::engine) fn of_parked(&self) -> usize {
        self.parked.len()
    }

    /// Positions whose parked state is not what the store says.
    pub(in crate::engine) fn parked_positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.parked.keys().copied()
    }

    /// How long after the commit something parked is due, if anything is.
    pub(in crate::engine) fn next_due_in(&self) -> Option<Duration> {
        let parked = self.parked.values().filter_map(|change| match change {
            ParkedChange::Parked(park) => park.due_in,
            ParkedChange::Settled | ParkedChange::Discarded => None,
        });
        parked.chain(self.recall.then_some(Duration::ZERO)).min()
    }

    /// Puts back what a failed commit carried, under what was decided since.
    pub(in crate::engine) fn restore(&mut self, failed: Changes) {
        let newer = std::mem::replace(self, failed);
        self.parked.extend(newer.parked);
        self.recall |= newer.recall;
        self.held.extend(newer.held);
        self.attempts.extend(newer.attempts);
        self.letters.extend(newer.letters);
    }

    /// Adds these changes to what the store is told.
    pub(in crate::engine) fn write_to(&self, commit: &mut LaneCommit) {
        for (position, change) in &self.parked {
            match change {
                ParkedChange::Parked(park) => commit.park.push(park.clone()),
                ParkedChange::Settled => commit.unpark.push(*position),
                ParkedChange::Discarded => commit.discard.push(*position),
            }
        }
        commit.recall = self.recall;
        for (key, held) in &self.held {
            match held {
                Some(held) => commit.hold.push(held.clone()),
                None => commit.free.push(key.clone()),
            }
        }
        commit.hold.sort_by(|a, b| a.key.cmp(&b.key));
        commit.free.sort();
        commit.attempts.extend(self.attempts.iter().cloned());
        commit.letters.extend(self.letters.iter().cloned());
    }
}
