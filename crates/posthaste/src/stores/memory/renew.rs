//! Keeping leases, and saying how the worker is.

use std::time::Duration;

use super::core::Core;
use crate::journal::{Lease, Partition, WorkerId, WorkerReport};

impl Core {
    /// See [`crate::journal::Journal::renew`].
    pub fn renew(&mut self, worker: &WorkerId, ttl: Duration, held: &[Lease], report: &WorkerReport) -> Vec<Partition> {
        let until = self.announce(worker, ttl);
        if let Some(presence) = self.workers.get_mut(worker) {
            presence.report = Some(report.clone());
        }
        let mut kept = Vec::new();
        for lease in held {
            if let Some(holding) = self.holding_of(worker, lease) {
                holding.until = until;
                kept.push(lease.partition);
            }
        }
        kept
    }
}
