//! What a relay tells about itself: logs and live figures. The engine counts; sinks and stores contain neither.

use std::sync::{Arc, Mutex, PoisonError};

use super::engine::{Event, Failed, Input};
use crate::error::Error;

/// One destination as this worker sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DestinationSnapshot {
    pub name: String,
    /// Confirmed by the sink since the relay started.
    pub delivered: u64,
    /// Failed attempts since the relay started.
    pub failed: u64,
    /// Declared dead since the relay started.
    pub dead: u64,
    /// Messages handed to the sink and not answered.
    pub in_flight: usize,
    /// Set while the destination is out of reach.
    pub outage: Option<String>,
    /// Whether an operator has paused it.
    pub paused: bool,
}

/// The relay at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Partitions held.
    pub partitions: usize,
    pub destinations: Vec<DestinationSnapshot>,
}

/// A shared, cheap view of a running relay.
#[derive(Debug, Clone, Default)]
pub struct Monitor(Arc<Mutex<Snapshot>>);

impl Monitor {
    /// The relay as it was a moment ago.
    pub fn snapshot(&self) -> Snapshot {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn publish(&self, snapshot: Snapshot) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }
}

/// Writes events to the log: ids and reasons, never payloads.
pub(super) fn log(events: Vec<Event>) {
    for event in events {
        match event {
            Event::Failed(failed) => log_failure(&failed),
            Event::Killer { destination, message } => {
                tracing::error!(%destination, message_id = %message, operation = "OUTBOX_DELIVER", phase = "DEAD",
                    "the worker died again and again while delivering this message");
            }
            Event::Outage { destination, error } => {
                tracing::warn!(%destination, error, "destination is out of reach; no attempts are spent");
            }
            Event::Recovered { destination } => tracing::info!(%destination, "destination is back"),
            Event::TookOver { partitions } => {
                tracing::warn!(?partitions, "took over from a worker that died");
            }
            Event::LeaseLost { partition } => tracing::warn!(partition, "lease lost; another worker goes on"),
        }
    }
}

fn log_failure(failed: &Failed) {
    let Failed { destination, message, attempts, error, retry_in } = failed;
    let (id, correlation_id, tenant) = (message.id, message.correlation_id.as_deref(), message.tenant.as_deref());
    let operation = "OUTBOX_DELIVER";
    match retry_in {
        Some(retry_in) => {
            tracing::warn!(%destination, message_id = %id, correlation_id, tenant, attempts, ?retry_in, error,
                operation, phase = "FAILED", "delivery failed");
        }
        None => {
            tracing::error!(%destination, message_id = %id, correlation_id, tenant, attempts, error,
                operation, phase = "DEAD", "delivery failed for good");
        }
    }
}

/// A store that answers with errors is worth a line each time; the engine goes on trying.
pub(super) fn log_store_error(input: &Input) {
    if let Some((question, error)) = store_error(input) {
        tracing::warn!(question, %error, "the store did not answer; trying again");
    }
}

fn store_error(input: &Input) -> Option<(&'static str, &Error)> {
    match input {
        Input::Leased { result, .. } => result.as_ref().err().map(|error| ("lease", error)),
        Input::Renewed { result, .. } => result.as_ref().err().map(|error| ("renew", error)),
        Input::Released { result, .. } => result.as_ref().err().map(|error| ("release", error)),
        Input::Looked { result } => result.as_ref().err().map(|error| ("look", error)),
        Input::Opened { result, .. } => result.as_ref().err().map(|error| ("open", error)),
        Input::Read { result, .. } => result.as_ref().err().map(|error| ("read", error)),
        Input::KeyRead { result, .. } => result.as_ref().err().map(|error| ("read_key", error)),
        Input::Due { result, .. } => result.as_ref().err().map(|error| ("due", error)),
        Input::Committed { result, .. } => result.as_ref().err().map(|error| ("commit", error)),
        Input::Purged { result } => result.as_ref().err().map(|error| ("purge", error)),
        Input::Delivered { .. } | Input::Withheld { .. } | Input::Probed { .. } | Input::Stop => None,
    }
}
