//! The executable specification of a store: everything in memory, gone with the process.
//!
//! [`Core`] holds the rules; [`Memory`] adds a lock, a real clock and a wake-up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::Notify;

pub use self::core::Core;
pub use self::transaction::Transaction;
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Entry, Grant, HeldKey, Journal, LaneCommit, LaneState, Lease, PARTITIONS, Partition, Position,
    Purged, ReadRequest, WorkerId, WorkerReport,
};
use crate::message::Message;
use crate::store::{Store, Watch};

mod core;
mod inspect;
mod lane;
mod leases;
mod operate;
mod reading;
mod status;
mod transaction;
mod watch;
mod writing;

/// A store in memory. Clones share the journal.
#[derive(Debug, Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    core: Mutex<Core>,
    started: Instant,
    /// The store's clock at `started`.
    epoch: Duration,
    changes: AtomicU64,
    changed: Notify,
}

impl Memory {
    /// An empty journal with the usual number of partitions.
    pub fn new() -> Self {
        Self::with_partitions(PARTITIONS)
    }

    /// An empty journal with so many partitions, at least one.
    pub fn with_partitions(partitions: u16) -> Self {
        let shared = Shared {
            core: Mutex::new(Core::new(partitions.max(1))),
            started: Instant::now(),
            epoch: Duration::try_from(crate::clock::now().as_duration()).unwrap_or_default(),
            changes: AtomicU64::new(0),
            changed: Notify::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Starts a transaction of the application.
    pub fn begin(&self) -> Transaction {
        Transaction::new(self.clone())
    }

    /// The state, with its clock set to now.
    fn core(&self) -> MutexGuard<'_, Core> {
        let mut core = self.shared.core.lock().unwrap_or_else(PoisonError::into_inner);
        core.set_now(self.shared.epoch + self.shared.started.elapsed());
        core
    }

    /// Wakes whoever waits. Lanes' own commits do not come here: they would only wake themselves.
    fn announce(&self) {
        self.shared.changes.fetch_add(1, Ordering::Release);
        self.shared.changed.notify_waiters();
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Journal for Memory {
    async fn partitions(&self) -> Result<u16> {
        Ok(self.core().partitions())
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.core().register(destinations);
        Ok(())
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        Ok(self.core().lease(worker, ttl, want))
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        Ok(self.core().renew(worker, ttl, held, report))
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.core().release(worker, held, leaving);
        Ok(())
    }

    async fn advance(&self) -> Result<Position> {
        Ok(self.core().advance())
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.core().open(destination, leases)
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        Ok(self.core().read(request))
    }

    async fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        self.core().read_key(destination, partition, held, limit)
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        self.core().due(destination, partitions, limit)
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.core().commit(commits)
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        Ok(self.core().purge(older_than, limit))
    }
}

#[async_trait]
impl Store for Memory {
    async fn migrate(&self) -> Result<()> {
        Ok(())
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        let mut core = self.core();
        let stored = messages.iter().map(|message| core.append([message.clone()]).stored == 1).collect();
        drop(core);
        self.announce();
        Ok(stored)
    }

    fn watch(&self) -> Box<dyn Watch> {
        Box::new(watch::Watcher::new(Arc::clone(&self.shared)))
    }
}
