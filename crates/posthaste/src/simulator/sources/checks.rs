//! What must hold for a source: nothing is missing before the checkpoint, and in the end everything is there once and in order.

use std::collections::BTreeSet;

use super::super::checks::Violation;
use super::SourceWorld;
use crate::source::Checkpoint;

impl SourceWorld {
    /// Everything up to the checkpoint is in the journal.
    pub(super) fn check_checkpoint(&mut self, checkpoint: &Checkpoint) {
        let stored: BTreeSet<_> = self.store.messages().filter_map(|message| message.origin.clone()).collect();
        if !self.log.wanted_upto(checkpoint).all(|origin| stored.contains(&origin)) {
            self.violations.insert(Violation::Lost);
        }
    }

    pub(super) fn is_drained(&self) -> bool {
        self.store.messages().count() == self.log.wanted().count() && self.log.is_whole()
    }

    pub(super) fn check_the_end(&mut self) {
        if !self.is_drained() {
            self.violations.insert(Violation::Stuck);
        }
        let stored: Vec<_> = self.store.messages().filter_map(|message| message.origin.clone()).collect();
        if stored.iter().collect::<BTreeSet<_>>().len() != stored.len() {
            self.violations.insert(Violation::DeliveredAgain);
        }
        let wanted: Vec<_> = self.log.wanted().collect();
        if !self.rewound && stored.len() == wanted.len() && stored != wanted {
            self.violations.insert(Violation::OutOfOrder);
        }
    }
}
