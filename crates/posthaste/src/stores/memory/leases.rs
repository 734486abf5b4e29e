//! Who holds which partition.

use super::core::Core;
use crate::inspect::PartitionStatus;
use crate::journal::Partition;

impl Core {
    /// See [`crate::inspect::Inspect::leases`].
    pub fn leases(&self) -> Vec<PartitionStatus> {
        let status = |(partition, holding): (Partition, &super::lease::Holding)| PartitionStatus {
            partition,
            worker: holding.worker.as_ref().map(|worker| worker.0.clone()),
            epoch: holding.epoch,
            expires_in_seconds: holding.is_live(self.now).then(|| (holding.until - self.now).as_secs_f64()),
        };
        Partition::all(self.partitions).zip(&self.holdings).map(status).collect()
    }
}
