//! What must hold for a source: nothing is missing before the checkpoint, and in the end everything is there once and in order.

use foldhash::HashSet;

use super::super::checks::Violation;
use super::SourceWorld;
use super::log::{Log, place, place_of};
use crate::message::Message;
use crate::source::Checkpoint;

/// What of the log is in the journal. It is kept up to date, because looking through the whole journal after each ingest takes longer
/// than everything else.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// The places in the log, in the journal's order.
    order: Vec<usize>,
    places: HashSet<usize>,
    /// Up to here nothing is missing.
    checked: usize,
}

impl Stored {
    /// These came last.
    pub(super) fn add<'a>(&mut self, messages: impl Iterator<Item = &'a Message>) {
        for place in messages.map(place_of) {
            self.order.push(place);
            self.places.insert(place);
        }
    }

    /// The log wants more of what was there before.
    pub(super) fn check_again(&mut self) {
        self.checked = 0;
    }

    /// Whether everything up to the checkpoint is in the journal. Nothing leaves the journal, so each place is looked at once.
    fn is_complete(&mut self, log: &Log, checkpoint: &Checkpoint) -> bool {
        let upto = place(checkpoint).max(self.checked);
        let is_complete = log.wanted_in(self.checked..upto).all(|place| self.places.contains(&place));
        if is_complete {
            self.checked = upto;
        }
        is_complete
    }
}

impl SourceWorld {
    /// Everything up to the checkpoint is in the journal.
    pub(super) fn check_checkpoint(&mut self, checkpoint: &Checkpoint) {
        if !self.stored.is_complete(&self.log, checkpoint) {
            self.violations.insert(Violation::Lost);
        }
    }

    pub(super) fn is_drained(&self) -> bool {
        self.log.is_whole() && self.stored.order.len() == self.log.count_wanted()
    }

    pub(super) fn check_the_end(&mut self) {
        if !self.is_drained() {
            self.violations.insert(Violation::Stuck);
        }
        let Stored { order, places, .. } = &self.stored;
        if places.len() != order.len() {
            self.violations.insert(Violation::DeliveredAgain);
        }
        let wanted: Vec<_> = self.log.wanted().collect();
        if !self.rewound && order.len() == wanted.len() && *order != wanted {
            self.violations.insert(Violation::OutOfOrder);
        }
    }
}
