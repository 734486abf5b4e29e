//! Giving leases back.

use super::core::Core;
use crate::journal::{Lease, WorkerId};

impl Core {
    /// See [`crate::journal::Journal::release`].
    pub fn release(&mut self, worker: &WorkerId, held: &[Lease], leaving: bool) {
        for lease in held {
            if let Some(holding) = self.holding_of(worker, lease) {
                holding.worker = None;
            }
        }
        if leaving {
            self.workers.remove(worker);
        }
    }
}
