//! The executable specification of a store: everything in memory, gone with the process.
//!
//! ```text
//!   Memory ── a lock, a real clock, a wake-up ──► Core ◄── a clock that is set ── simulator
//! ```
//!
//! [`Core`] holds the state and every verb of the ports, each in the file of its name; [`Memory`] adds what a relay needs around it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

pub use self::core::Core;
pub use self::transaction::Transaction;
use crate::journal::PARTITIONS;

mod audit;
mod change_source;
mod change_tenant;
mod commit;
mod core;
mod due;
mod get;
mod ingest;
mod inspect;
mod jobs;
mod journal;
mod lane;
mod lease;
mod lease_source;
mod leases;
mod list;
mod open;
mod operate;
mod overview;
mod pause;
mod purge;
mod read;
mod read_key;
mod register;
mod release;
mod release_source;
mod renew;
mod settle;
mod sources;
mod status;
mod store;
mod transaction;
mod watch;
mod write;

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
