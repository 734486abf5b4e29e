//! Lines about sources: `OUTBOX_ENQUEUE` with START, SUCCESS, DUPLICATE and ERROR for what is stored of them, and what befalls them. Ids
//! and reasons, never payloads.

use super::log::ENQUEUE;
use crate::destination::Name;
use crate::engine::source::SourceEvent;
use crate::error::Error;
use crate::journal::Ingest;

/// Says that events are stored.
pub(in crate::relay) fn log_ingest(ingest: &Ingest) {
    tracing::trace!(source = %ingest.source, messages = ingest.messages.len(), checkpoint = %ingest.checkpoint,
        operation = ENQUEUE, phase = "START", "storing what was read");
}

/// Says what the store answered to a request about a source.
pub(in crate::relay) fn log_source_store(source: &Name, verb: &str, error: &Error) {
    tracing::warn!(%source, verb, %error, operation = ENQUEUE, phase = "ERROR", "the store failed; trying again");
}

/// Writes what happened to a source to the log.
pub(in crate::relay) fn log_source(source: &Name, events: Vec<SourceEvent>) {
    for event in events {
        match event {
            SourceEvent::Took { after } => {
                let after = after.as_ref().map(tracing::field::display);
                tracing::info!(%source, after, "reading this source");
            }
            SourceEvent::Lost { why } => tracing::warn!(%source, why, "not reading this source any more"),
            SourceEvent::Stored { enqueued, events } => {
                tracing::debug!(%source, events, messages = enqueued.stored, operation = ENQUEUE, phase = "SUCCESS",
                    "stored with the checkpoint");
                if enqueued.duplicates > 0 {
                    tracing::debug!(%source, messages = enqueued.duplicates, operation = ENQUEUE, phase = "DUPLICATE",
                        "stored before; left out");
                }
            }
            SourceEvent::Refused { stream, event, reason, kept } => {
                tracing::warn!(%source, stream, event, reason, kept, operation = ENQUEUE, phase = "ERROR",
                    "nothing could be made of this event; going on");
            }
            SourceEvent::Stopped { why } => {
                tracing::error!(%source, why, operation = ENQUEUE, phase = "ERROR",
                    "source stopped: mend the mapping, then run `posthaste sources resume`");
            }
            SourceEvent::Failed { error, rest } => {
                tracing::warn!(%source, error, ?rest, "reading failed; it begins anew at the stored checkpoint");
            }
            SourceEvent::Recovered => tracing::info!(%source, "reading goes on"),
        }
    }
}
