//! What a lane remembers until the store has answered.

use foldhash::HashMap;

use super::QueueId;
use super::changes::Changes;
use crate::journal::{Park, Position};

/// How eagerly the cursor wants to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CursorChange {
    /// The store knows it.
    #[default]
    None,
    /// Only messages of other destinations were passed; some time is soon enough.
    Passed,
    /// Something was settled.
    Settled,
}

/// What the store does not know yet, and what it was told and has not answered.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    pub(super) cursor: CursorChange,
    pub(super) changes: Changes,
    committing: Option<Changes>,
    /// Parked positions of which the store may think otherwise; with the number of the commit that told it.
    touched: HashMap<Position, Option<u64>>,
    /// Queues that wait for the next commit before their next hand-over.
    awaiting: Vec<QueueId>,
    /// Queues that wait for the commit under way.
    awaiting_committing: Vec<QueueId>,
}

impl Unsaved {
    /// Something of the cursor was settled.
    pub(super) fn settled(&mut self) {
        self.cursor = CursorChange::Settled;
    }

    /// A parked delivery is written, or written anew.
    pub(super) fn park(&mut self, park: Park) {
        self.touched.insert(park.position, None);
        self.changes.park(park);
    }

    /// A parked delivery is settled.
    pub(super) fn unpark(&mut self, position: Position) {
        self.touched.insert(position, None);
        self.changes.unpark(position);
    }

    /// The lane has taken note that someone discarded a parked delivery.
    pub(super) fn discard(&mut self, position: Position) {
        self.touched.insert(position, None);
        self.changes.discard(position);
    }

    /// A queue waits for the next commit.
    pub(super) fn awaits_commit(&mut self, queue: QueueId) {
        self.awaiting.push(queue);
    }

    /// A hand-over waits for the next commit.
    pub(super) fn is_awaited(&self) -> bool {
        !self.awaiting.is_empty()
    }

    /// A commit is under way.
    pub(super) fn is_committing(&self) -> bool {
        self.committing.is_some()
    }

    /// Changes of parked deliveries that the store has not confirmed.
    pub(super) fn of_parked(&self) -> usize {
        self.changes.of_parked() + self.committing.as_ref().map_or(0, Changes::of_parked)
    }

    /// Nothing parked, held or tried is left to be recorded, or is being recorded.
    pub(super) fn is_at_rest(&self) -> bool {
        self.changes.is_empty() && self.committing.is_none()
    }

    /// The store is told what gathered.
    pub(super) fn begin_commit(&mut self) -> &Changes {
        self.awaiting_committing = std::mem::take(&mut self.awaiting);
        self.cursor = CursorChange::None;
        self.committing.insert(std::mem::take(&mut self.changes))
    }

    /// The store knows what it was told; `number` counts the commits. Returns that, and the queues that waited for it.
    pub(super) fn committed(&mut self, number: u64) -> Option<(Changes, Vec<QueueId>)> {
        let saved = self.committing.take()?;
        for position in saved.parked_positions() {
            self.touched.insert(position, Some(number));
        }
        // Decided again while the commit was under way: the store is behind once more.
        for position in self.changes.parked_positions() {
            self.touched.insert(position, None);
        }
        Some((saved, std::mem::take(&mut self.awaiting_committing)))
    }

    /// The answer was an error or got lost: everything is told again, unless a mistake says otherwise.
    pub(super) fn commit_failed(&mut self, forget: bool, forget_letters: bool) {
        let Some(mut changes) = self.committing.take() else { return };
        if forget_letters {
            changes.forget_letters();
        }
        if !forget {
            self.changes.restore(changes);
        }
        let waiting = std::mem::take(&mut self.awaiting_committing);
        self.awaiting.extend(waiting);
        self.cursor = CursorChange::Settled;
    }

    /// Whether an answer that was asked for after `commits` commits may be out of date about this position.
    pub(super) fn is_touched(&self, position: Position, commits: u64) -> bool {
        match self.touched.get(&position) {
            Some(Some(told_at)) => *told_at > commits,
            Some(None) => true,
            None => false,
        }
    }

    /// Forgets which positions the store was told about, once no older answer can arrive.
    pub(super) fn forget_touched(&mut self) {
        self.touched.retain(|_, told| told.is_none());
    }
}
