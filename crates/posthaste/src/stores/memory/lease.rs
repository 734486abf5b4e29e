//! Who is alive and who holds which partition, by the store's clock.

use std::time::Duration;

use super::core::Core;
use crate::journal::{Epoch, Grant, Lease, Partition, WorkerId, WorkerReport};

/// The lease of one partition.
#[derive(Debug, Clone, Default)]
pub(super) struct Holding {
    /// Stays after the end of the lease, which tells one that expired from one that was given back.
    pub(super) worker: Option<WorkerId>,
    pub(super) epoch: Epoch,
    pub(super) until: Duration,
}

/// A worker that has announced itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Presence {
    pub(super) until: Duration,
    pub(super) report: Option<WorkerReport>,
}

impl Core {
    /// See [`crate::journal::Journal::lease`].
    pub fn lease(&mut self, worker: &WorkerId, ttl: Duration, want: usize) -> Grant {
        let until = self.announce(worker, ttl);
        let now = self.now;
        let free = Partition::all(self.partitions).zip(&mut self.holdings).filter(|(_, holding)| !holding.is_live(now));
        let leases = free.take(want).map(|(partition, holding)| holding.acquire(partition, worker, until)).collect();
        Grant {
            leases,
            workers: self.workers.values().filter(|presence| presence.until > now).count(),
            paused: self.current().filter(|(_, known)| known.paused).map(|(name, _)| name.clone()).collect(),
            paused_tenants: self.paused_tenants(),
        }
    }

    /// Who may write under `epoch`: the worker that took the partition last, even late, unless it gave it back.
    pub(super) fn fence(&self, partition: Partition, epoch: Epoch) -> Option<&WorkerId> {
        let holding = self.holdings.get(partition.index())?;
        holding.worker.as_ref().filter(|_| holding.epoch == epoch)
    }

    pub(super) fn announce(&mut self, worker: &WorkerId, ttl: Duration) -> Duration {
        let until = self.now.saturating_add(ttl);
        self.workers.entry(worker.clone()).or_default().until = until;
        until
    }

    pub(super) fn holding_of(&mut self, worker: &WorkerId, lease: &Lease) -> Option<&mut Holding> {
        let holding = self.holdings.get_mut(lease.partition.index())?;
        let held = holding.epoch == lease.epoch && holding.worker.as_ref() == Some(worker);
        held.then_some(holding)
    }
}

/// What stores with replicas do; only the simulator has one of memory.
#[cfg(feature = "simulator")]
impl Core {
    /// The store goes on from an earlier state of itself. Positions jump, if `jump` says so, and epochs do, so that none that was used in
    /// what is gone comes again; nobody holds a partition.
    pub fn seam(&mut self, jump: bool) {
        self.newest.tick += u64::from(jump);
        for holding in &mut self.holdings {
            let epoch = Epoch::new(holding.epoch.number() + 1_000_000);
            *holding = Holding { worker: None, epoch, until: Duration::ZERO };
        }
    }

    /// The epoch of the newest lease of a partition.
    pub fn epoch(&self, partition: Partition) -> Epoch {
        self.holdings[partition.index()].epoch
    }
}

impl Holding {
    pub(super) fn is_live(&self, now: Duration) -> bool {
        self.worker.is_some() && self.until > now
    }

    fn acquire(&mut self, partition: Partition, worker: &WorkerId, until: Duration) -> Lease {
        let expired_before = self.worker.is_some();
        *self = Self { worker: Some(worker.clone()), epoch: self.epoch.next(), until };
        Lease { partition, epoch: self.epoch, expired_before }
    }
}
