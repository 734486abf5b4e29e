//! Which partitions this worker holds, and until when it may act on them.
//!
//! ```text
//!   lease ──granted──► opening ──► held ──renewed──► held …
//!                                   │ not renewed, or taken by another      │ more than its share
//!                                   ▼                                       ▼
//!                                  lost (drop everything)                draining ──► released
//! ```
//! The store is authoritative about who holds what, by its own clock. The worker measures on its own monotonic clock from
//! *before* it asked, so it always believes its lease ends earlier than the store does, and it stops handing over a margin
//! before that. What it still writes late is refused by the epoch.

use std::collections::BTreeMap;
use std::time::Duration;

use super::mistakes::{Mistake, Mistakes};
use crate::journal::{Epoch, Lease, Partition};

/// Between two requests for partitions that became free.
const LEASE_INTERVAL: Duration = Duration::from_millis(500);

/// A partition that is held.
#[derive(Debug)]
struct Held {
    lease: Lease,
    /// When the grant or its last renewal was asked for.
    asked_at: Duration,
    draining: bool,
}

/// The partitions of one worker.
#[derive(Debug)]
pub(super) struct Leases {
    pub(super) ttl: Duration,
    partitions: usize,
    workers: usize,
    held: BTreeMap<Partition, Held>,
    /// The newest epoch in which this worker held a partition.
    newest: BTreeMap<Partition, Epoch>,
    leasing: bool,
    renewing: bool,
    /// There is something to report with the next renewal, which is not to wait for its time.
    news: bool,
    lease_at: Duration,
    renew_at: Duration,
    mistakes: Mistakes,
}

impl Leases {
    /// Holds nothing yet, of so many partitions.
    pub(super) fn new(ttl: Duration, partitions: u16, mistakes: Mistakes) -> Self {
        Self {
            ttl,
            partitions: usize::from(partitions),
            workers: 1,
            held: BTreeMap::new(),
            newest: BTreeMap::new(),
            leasing: false,
            renewing: false,
            news: false,
            lease_at: Duration::ZERO,
            renew_at: Duration::ZERO,
            mistakes,
        }
    }

    /// How many partitions each worker should have.
    fn share(&self) -> usize {
        self.partitions.div_ceil(self.workers.max(1))
    }

    /// Whether to ask for partitions now, and for how many. Asking for none still announces the worker.
    pub(super) fn plan_lease(&mut self, now: Duration) -> Option<usize> {
        if self.leasing || now < self.lease_at {
            return None;
        }
        self.leasing = true;
        self.lease_at = now + LEASE_INTERVAL.min(self.ttl / 4);
        Some(self.share().saturating_sub(self.held.len()))
    }

    /// Whether to renew now, and what.
    pub(super) fn plan_renewal(&mut self, now: Duration) -> Option<Vec<Lease>> {
        if self.renewing || (now < self.renew_at && !self.news) || self.held.is_empty() {
            return None;
        }
        self.renewing = true;
        self.news = false;
        self.renew_at = now + self.ttl / 3;
        Some(self.all())
    }

    /// The next renewal goes out at once, because it carries a report.
    pub(super) fn report_at_once(&mut self) {
        self.news = true;
    }

    /// Leases this worker believes in that a grant makes obsolete.
    pub(super) fn replaced_by(&self, leases: &[Lease]) -> Vec<Lease> {
        leases.iter().filter_map(|lease| self.held.get(&lease.partition)).map(|held| held.lease).collect()
    }

    /// A lease that this worker let lapse and got back before anyone else had it: the holder before did not die.
    pub(super) fn own_lapse(&self, lease: &Lease) -> bool {
        self.newest.get(&lease.partition).is_some_and(|newest| newest.next() == lease.epoch)
    }

    /// A request for partitions has ended, well or not.
    pub(super) fn lease_answered(&mut self) {
        self.leasing = false;
    }

    /// Takes note of what was granted.
    pub(super) fn granted(&mut self, asked_at: Duration, leases: &[Lease], workers: usize) {
        // What a worker leaves was not asked for yet, because it was not a part of this one's share.
        if workers < self.workers {
            self.lease_at = Duration::ZERO;
        }
        self.workers = workers.max(1);
        for lease in leases {
            self.newest.insert(lease.partition, lease.epoch);
            self.held.insert(lease.partition, Held { lease: *lease, asked_at, draining: false });
        }
    }

    /// Takes note of a renewal. Returns what was asked for and is not held any more.
    pub(super) fn renewed(&mut self, asked_at: Duration, asked: &[Lease], kept: &[Partition]) -> Vec<Lease> {
        self.renewing = false;
        let mut lost = Vec::new();
        for lease in asked {
            let Some(held) = self.held.get_mut(&lease.partition).filter(|held| held.lease.epoch == lease.epoch) else {
                continue;
            };
            if kept.contains(&lease.partition) || self.mistakes.has(Mistake::LostLeaseKept) {
                held.asked_at = held.asked_at.max(asked_at);
            } else {
                lost.push(*lease);
            }
        }
        lost
    }

    /// A renewal that got no answer is tried again soon.
    pub(super) fn renewal_failed(&mut self, now: Duration) {
        self.renewing = false;
        self.renew_at = now + self.ttl / 10;
    }

    /// Forgets a lease. False when it is not held in this epoch.
    pub(super) fn remove(&mut self, partition: Partition, epoch: Epoch) -> bool {
        let held = self.held.get(&partition).is_some_and(|held| held.lease.epoch == epoch);
        if held {
            self.held.remove(&partition);
        }
        held
    }

    /// Until when the partition may be acted on; zero when it is not held.
    pub(super) fn safe_until(&self, partition: Partition, epoch: Epoch) -> Duration {
        let held = self.held.get(&partition).filter(|held| held.lease.epoch == epoch);
        held.map_or(Duration::ZERO, |held| held.asked_at + self.ttl - self.ttl / 5)
    }

    /// Leases that have run out by this worker's own clock.
    pub(super) fn expired(&self, now: Duration) -> Vec<Lease> {
        if self.mistakes.has(Mistake::DeliverWithoutLease) || self.mistakes.has(Mistake::LostLeaseKept) {
            return Vec::new();
        }
        let over = self.held.values().filter(|held| now >= held.asked_at + self.ttl);
        over.map(|held| held.lease).collect()
    }

    /// Begins to drain what is beyond this worker's share.
    pub(super) fn plan_drain(&mut self) -> Vec<Partition> {
        if self.held.len() <= self.share() {
            return Vec::new();
        }
        let kept = self.held.values().filter(|held| !held.draining).count();
        let surplus = kept.saturating_sub(self.share());
        let beyond = self.held.values_mut().rev().filter(|held| !held.draining).take(surplus);
        beyond
            .map(|held| {
                held.draining = true;
                held.lease.partition
            })
            .collect()
    }

    /// What is being drained.
    pub(super) fn draining(&self) -> Vec<Lease> {
        self.held.values().filter(|held| held.draining).map(|held| held.lease).collect()
    }

    /// Everything that is held.
    pub(super) fn all(&self) -> Vec<Lease> {
        self.held.values().map(|held| held.lease).collect()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.held.clear();
    }

    /// Whether the partition is held.
    pub(super) fn holds(&self, partition: Partition) -> bool {
        self.held.contains_key(&partition)
    }

    /// Which part of all partitions is held. Those of all workers together are never more than one.
    pub(super) fn share_held(&self) -> f64 {
        self.held.len() as f64 / self.partitions.max(1) as f64
    }

    /// How many partitions are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// When something is to be done although nothing happens.
    pub(super) fn wake_at(&self, stopping: bool) -> Option<Duration> {
        let lease = (!self.leasing && !stopping).then_some(self.lease_at);
        let renew = (!self.renewing && !self.held.is_empty()).then_some(self.renew_at);
        let expiry = self.held.values().map(|held| held.asked_at + self.ttl).min();
        [lease, renew, expiry].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests;
