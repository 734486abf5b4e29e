//! What a relay tells about itself. The engine counts here; sinks and stores contain no metrics.

use std::sync::{Arc, Mutex, PoisonError};

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
}
