//! Lines about sources: `OUTBOX_ENQUEUE` with START, SUCCESS, DUPLICATE and ERROR for what is stored of them, and what befalls them. Ids
//! and reasons, never payloads.

use std::time::{Duration, Instant};

use super::log::ENQUEUE;
use super::outage::{News, Outage};
use crate::destination::Name;
use crate::engine::source::SourceEvent;
use crate::journal::Ingest;

/// Says that events are stored.
pub(in crate::relay) fn log_ingest(ingest: &Ingest) {
    tracing::trace!(source = %ingest.source, messages = ingest.messages.len(), checkpoint = %ingest.checkpoint,
        operation = ENQUEUE, phase = "START", "storing what was read");
}

/// What is said about one source.
#[derive(Debug)]
pub(in crate::relay) struct SourceLog {
    source: Name,
    /// Whether the log can be read.
    outage: Outage,
}

impl SourceLog {
    pub(in crate::relay) fn new(source: Name) -> Self {
        Self { source, outage: Outage::default() }
    }

    /// Says what happened.
    pub(in crate::relay) fn tell(&mut self, events: Vec<SourceEvent>) {
        for event in events {
            match event {
                SourceEvent::Failed { error, rest } => self.failed(&error, rest),
                SourceEvent::Recovered => self.recovered(),
                event => tell(&self.source, event),
            }
        }
    }

    /// A log that is away is tried again and again; it is said now and then.
    fn failed(&mut self, error: &str, rest: Duration) {
        let source = &self.source;
        match self.outage.failed(Instant::now()) {
            Some(News::Began) => {
                tracing::warn!(%source, error, ?rest, "reading failed; it begins anew at the stored checkpoint");
            }
            Some(News::Lasts { since, failed }) => {
                tracing::warn!(%source, error, seconds = since.as_secs(), tries = failed, "reading still fails");
            }
            None => {}
        }
    }

    fn recovered(&mut self) {
        if let Some((failed_for, tries)) = self.outage.over(Instant::now()) {
            let (source, milliseconds) = (&self.source, failed_for.as_millis() as u64);
            tracing::info!(%source, milliseconds, tries, "reading goes on");
        }
    }
}

fn tell(source: &Name, event: SourceEvent) {
    match event {
        SourceEvent::Took { after } => {
            let after = after.as_ref().map(tracing::field::display);
            tracing::info!(%source, after, "reading this source");
        }
        SourceEvent::Lost { why } => tracing::warn!(%source, why, "not reading this source any more"),
        SourceEvent::Stored { enqueued, events, marked } => {
            tracing::debug!(%source, events, messages = enqueued.stored, marked, operation = ENQUEUE, phase = "SUCCESS",
                    "stored with the checkpoint");
            if enqueued.duplicates > 0 {
                tracing::debug!(%source, messages = enqueued.duplicates, operation = ENQUEUE, phase = "DUPLICATE",
                        "stored before; left out");
            }
        }
        SourceEvent::MarkedApart { why } => {
            tracing::warn!(%source, why, "the store's user cannot mark what was taken in the transaction that stores it: grant it \
                    what the source's user may do there, or set `mark_apart` of the source; marking afterwards");
        }
        SourceEvent::Refused { stream, event, reason, kept } => {
            tracing::warn!(%source, stream, event, reason, kept, operation = ENQUEUE, phase = "ERROR",
                    "nothing could be made of this event; going on");
        }
        SourceEvent::Stopped { why } => {
            tracing::error!(%source, why, operation = ENQUEUE, phase = "ERROR",
                    "source stopped: mend the mapping, then run `posthaste sources resume`");
        }
        // See `SourceLog`.
        SourceEvent::Failed { .. } | SourceEvent::Recovered => {}
    }
}
