//! Requests to the store that fail, in the log: an outage in few lines, anything else each time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::log::{CLAIM, ENQUEUE};
use super::outage::{News, Outage};
use crate::destination::Name;
use crate::error::{Error, Kind};

/// Whether the store answers, as one worker sees it.
#[derive(Debug, Default)]
pub(in crate::relay) struct StoreOutage {
    /// The source that asks, if one does.
    source: Option<Name>,
    outage: Mutex<Outage>,
}

impl StoreOutage {
    pub(in crate::relay) fn of_source(source: Name) -> Self {
        Self { source: Some(source), outage: Mutex::default() }
    }

    /// A request failed; the engine goes on trying. Anything but an outage is told each time.
    pub(in crate::relay) fn failed(&self, request: &str, error: &Error) {
        let operation = match request {
            "lease" => Some(CLAIM),
            "ingest" => Some(ENQUEUE),
            _ => None,
        };
        let (phase, source) = (operation.map(|_| "ERROR"), self.source());
        if error.kind() != Kind::Unavailable {
            tracing::warn!(source, request, %error, operation, phase, "the store refused a request; trying again");
            return;
        }
        match self.state().failed(Instant::now()) {
            Some(News::Began) => {
                tracing::warn!(source, request, %error, operation, phase, "the store does not answer; trying again");
            }
            Some(News::Lasts { since, failed }) => {
                let since = since.as_secs();
                tracing::warn!(source, request, %error, seconds = since, requests = failed,
                    "the store still does not answer");
            }
            None => {}
        }
    }

    /// The store answered a request.
    pub(in crate::relay) fn answered(&self) {
        if let Some((silent, failed)) = self.state().over(Instant::now()) {
            let (source, milliseconds) = (self.source(), silent.as_millis() as u64);
            tracing::info!(source, milliseconds, requests = failed, "the store answers again");
        }
    }

    fn source(&self) -> Option<tracing::field::DisplayValue<&Name>> {
        self.source.as_ref().map(tracing::field::display)
    }

    fn state(&self) -> MutexGuard<'_, Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
