//! Lanes that still have to be opened.

use std::time::Duration;

use super::protocol::DestinationIndex;
use crate::journal::{Lease, Partition};

/// A request that failed is made again after this long.
const RETRY: Duration = Duration::from_millis(200);

/// Lanes that still have to be opened, by destination.
#[derive(Debug, Default)]
pub(super) struct Openings {
    waiting: Vec<(DestinationIndex, Vec<Lease>)>,
    not_before: Duration,
}

impl Openings {
    /// A lane is to be opened for each lease.
    pub(super) fn add(&mut self, destination: DestinationIndex, leases: Vec<Lease>) {
        self.waiting.push((destination, leases));
    }

    /// The store could not say where these lanes stand; it is asked again.
    pub(super) fn add_failed(&mut self, now: Duration, destination: DestinationIndex, leases: Vec<Lease>) {
        self.not_before = now + RETRY;
        self.add(destination, leases);
    }

    /// The lease is gone.
    pub(super) fn remove(&mut self, partition: Partition) {
        for (_, leases) in &mut self.waiting {
            leases.retain(|lease| lease.partition != partition);
        }
    }

    /// When to open lanes.
    pub(super) fn wake_at(&self) -> Option<Duration> {
        (!self.waiting.is_empty()).then_some(self.not_before)
    }

    /// The lanes to be opened now.
    pub(super) fn take(&mut self, now: Duration) -> Vec<(DestinationIndex, Vec<Lease>)> {
        if now < self.not_before {
            return Vec::new();
        }
        let mut due = std::mem::take(&mut self.waiting);
        due.retain(|(_, leases)| !leases.is_empty());
        due
    }
}
