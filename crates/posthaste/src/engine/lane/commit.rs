//! What a lane tells the store, and what it remembers until the store has answered.

use super::{Dirt, Lane};
use crate::engine::lane::key_queue::Vouching;
use crate::engine::mistakes::Mistake;
use crate::journal::{LaneCommit, Park};

impl Lane {
    /// Something should be recorded soon.
    pub(in crate::engine) fn is_dirty(&self) -> bool {
        self.dirt == Dirt::Settled || !self.changes.is_empty()
    }

    /// Only messages of other destinations were passed.
    pub(in crate::engine) fn has_passed(&self) -> bool {
        self.dirt == Dirt::Passed
    }

    /// A hand-over waits for the commit.
    pub(in crate::engine) fn is_vouching(&self) -> bool {
        !self.vouching.is_empty()
    }

    pub(in crate::engine) fn is_committing(&self) -> bool {
        self.committing.is_some()
    }

    /// Everything decided so far. To be followed by [`Lane::committed`] or [`Lane::commit_failed`].
    pub(in crate::engine) fn begin_commit(&mut self) -> LaneCommit {
        let mut cursor = self.slots.cursor();
        if self.mistakes.has(Mistake::CursorPastUnsettled) {
            cursor.low = self.slots.read_to();
        }
        let mut commit = LaneCommit {
            cursor: (self.dirt != Dirt::Clean).then_some(cursor),
            ..LaneCommit::nothing(self.destination.clone(), self.partition, self.epoch)
        };
        let changes = std::mem::take(&mut self.changes);
        changes.write_to(&mut commit);
        self.committing = Some(changes);
        self.vouching_committing = std::mem::take(&mut self.vouching);
        self.dirt = Dirt::Clean;
        commit
    }

    /// The store knows; `number` counts the commits. Returns what was parked, for its due times.
    pub(in crate::engine) fn committed(&mut self, number: u64) -> Vec<Park> {
        let Some(changes) = self.committing.take() else { return Vec::new() };
        for position in changes.parked_positions() {
            self.touched.insert(position, Some(number));
        }
        // Decided again while the commit was under way: the store is behind once more.
        for position in self.changes.parked_positions() {
            self.touched.insert(position, None);
        }
        for line in std::mem::take(&mut self.vouching_committing) {
            let Some(target) = self.lines.get_mut(line) else { continue };
            target.vouching = match target.vouching {
                Vouching::Awaited => Vouching::Granted,
                Vouching::DeathAwaited => Vouching::NotNeeded,
                other => other,
            };
            self.announce(line);
            self.lines.tidy(line);
        }
        changes.parks().cloned().collect()
    }

    /// The answer was an error or got lost: everything is told again.
    pub(in crate::engine) fn commit_failed(&mut self) {
        let Some(changes) = self.committing.take() else { return };
        if !self.mistakes.has(Mistake::FailedCommitForgotten) {
            self.changes.restore(changes);
        }
        let waiting = std::mem::take(&mut self.vouching_committing);
        self.vouching.extend(waiting);
        self.dirt = Dirt::Settled;
    }

    /// Forgets which positions the store was told about, once no older answer can arrive.
    pub(in crate::engine) fn prune_touched(&mut self) {
        self.touched.retain(|_, told| told.is_none());
    }
}
