//! What was made of a source's events, and where reading goes on.

use super::core::{Core, timestamp};
use crate::journal::{Ingest, Ingested, Marked};

impl Core {
    /// See [`crate::journal::Journal::ingest`].
    pub fn ingest(&mut self, ingest: &Ingest) -> Option<Ingested> {
        self.sources.get(&ingest.source).filter(|known| known.is_held_by(&ingest.worker, ingest.epoch))?;
        let enqueued = self.append(ingest.messages.iter().cloned());
        let status = &mut self.sources.get_mut(&ingest.source)?.status;
        status.checkpoint = Some(ingest.checkpoint.clone());
        status.moved_at = Some(timestamp(self.now));
        status.events += ingest.tally.events;
        status.ignored += ingest.tally.ignored;
        status.refused += ingest.tally.refused;
        status.stored += enqueued.stored as u64;
        status.duplicates += enqueued.duplicates as u64;
        status.last_event = ingest.last_event.clone().or(status.last_event.take());
        Some(Ingested { enqueued, marked: Marked::No })
    }
}
