//! What a lane tells the store.

use std::time::Duration;

use super::Lane;
use super::unsaved::CursorChange;
use crate::destination::Name;
use crate::engine::mistakes::Mistake;
use crate::journal::LaneCommit;

impl Lane {
    /// Something should be recorded soon.
    pub(in crate::engine) fn has_unsaved_changes(&self) -> bool {
        self.unsaved.cursor == CursorChange::Settled || !self.unsaved.changes.is_empty()
    }

    /// Messages that left the memory of the lane for the store, which has not confirmed it yet.
    pub(in crate::engine) fn being_parked(&self) -> usize {
        self.unsaved.of_parked()
    }

    /// Only messages of other destinations were passed.
    pub(in crate::engine) fn has_only_passed(&self) -> bool {
        self.unsaved.cursor == CursorChange::Passed
    }

    /// Somebody waits for the next commit: a queue before its next hand-over, or the worker that takes the partition over.
    pub(in crate::engine) fn awaits_commit(&self) -> bool {
        self.has_unsaved_changes() && (self.unsaved.is_awaited() || self.draining)
    }

    /// A tenant may have been resumed of which this lane has put something aside.
    pub(in crate::engine) fn recall(&mut self) {
        self.unsaved.changes.recall();
    }

    /// Everything decided so far. To be followed by [`Lane::committed`] or [`Lane::commit_failed`].
    pub(in crate::engine) fn begin_commit(&mut self, destination: &Name) -> LaneCommit {
        let mut cursor = self.cursor.cursor();
        if self.mistakes.has(Mistake::CursorPastUnsettled) {
            cursor.low = self.cursor.read_to();
        }
        let mut commit = LaneCommit {
            cursor: (self.unsaved.cursor != CursorChange::None).then_some(cursor),
            ..LaneCommit::nothing(destination.clone(), self.id.partition, self.id.epoch)
        };
        self.unsaved.begin_commit().write_to(&mut commit);
        commit
    }

    /// The store knows; `number` counts the commits. Returns after how long something that was parked is due.
    pub(in crate::engine) fn committed(&mut self, number: u64) -> Option<Duration> {
        let (saved, waiting) = self.unsaved.committed(number)?;
        for queue in waiting {
            let Some(target) = self.queues.get_mut(queue) else { continue };
            if std::mem::take(&mut target.awaits_commit) {
                self.guard.committed(queue);
            }
            self.announce(queue);
            self.queues.forget_if_spent(queue);
        }
        self.end_guard_if_past();
        saved.next_due_in()
    }

    /// The answer was an error or got lost: everything is told again.
    pub(in crate::engine) fn commit_failed(&mut self) {
        let mistaken = |mistake| self.mistakes.has(mistake);
        self.unsaved.commit_failed(mistaken(Mistake::FailedCommitForgotten), mistaken(Mistake::LettersForgotten));
    }

    /// No answer that is older than the last commit can arrive any more.
    pub(in crate::engine) fn forget_touched(&mut self) {
        self.unsaved.forget_touched();
    }
}
