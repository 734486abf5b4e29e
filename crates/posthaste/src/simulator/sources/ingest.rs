//! What was read reaches the journal, or does not.

use super::super::checks::Violation;
use super::super::planted::Planted;
use super::{Event, SourceWorld};
use crate::engine::StoreFailure;
use crate::engine::source::IngestFailure;
use crate::journal::{Ingest, Ingested, WorkerId};

impl SourceWorld {
    /// Stores, and loses the answer or not; or is lost and perhaps carried out much later.
    pub(super) fn try_ingest(&mut self, ingest: Ingest, is_lost: bool) -> Result<Option<Ingested>, IngestFailure> {
        if !is_lost {
            return Ok(self.ingest(&ingest));
        }
        if self.dice.percent(40) {
            // Done, but nobody hears of it.
            self.ingest(&ingest);
            return Err(IngestFailure::Store(StoreFailure::Failed));
        }
        let at = self.now + self.dice.millis(10, 4_000);
        self.at(at, 0, Event::Late(ingest));
        Err(IngestFailure::Store(StoreFailure::TimedOut))
    }

    pub(super) fn ingest(&mut self, ingest: &Ingest) -> Option<Ingested> {
        let is_held = self.store.is_source_held_by(&self.source, &ingest.worker, ingest.epoch);
        let stored = match self.planted {
            Some(Planted::IngestUnfenced) => self.store.ingest(&self.in_the_name_of_the_holder(ingest)),
            _ => self.store.ingest(ingest),
        }?;
        if !is_held {
            self.violations.insert(Violation::ForeignSettlement);
        }
        self.stored.add(self.store.newest(stored.enqueued.stored));
        self.check_checkpoint(&ingest.checkpoint);
        Some(stored)
    }

    fn in_the_name_of_the_holder(&self, ingest: &Ingest) -> Ingest {
        let mut ingest = ingest.clone();
        let holder = self.store.sources().into_iter().find_map(|status| Some((status.worker?, status.epoch)));
        if let Some((worker, epoch)) = holder {
            (ingest.worker, ingest.epoch) = (WorkerId(worker), epoch);
        }
        ingest
    }
}
