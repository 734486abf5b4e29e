//! SQLite: one writer at a time, so the sequence number of a row is its commit order.
//!
//! The application writes with its own connection ([`connect`] makes a good one) and [`enqueue`] inside its own transaction.
//! The relay has one connection that writes and a few that read; every call runs on a blocking thread. All statements are
//! plain `.sql` files beside this one, each with what it guarantees and the index it uses.
//!
//! ```text
//!   application ──INSERT──► outbox ──read──► relay ──► sinks
//!                                              │
//!        outbox_cursors, outbox_parked, … ◄──commit (fenced by outbox_leases)
//! ```

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::Notify;

pub use self::connection::connect;
use self::connection::{Readers, Role};
pub use self::enqueue::enqueue;
use self::wait::Watch;
use crate::error::{Error, Kind, Result};
use crate::journal::PARTITIONS;

mod audit;
mod census;
mod codec;
mod commit;
mod connection;
mod due;
mod enqueue;
mod error;
mod inspect;
mod journal;
mod lease;
mod list;
mod migrate;
mod open;
mod operate;
mod overview;
mod purge;
mod read;
mod register;
mod report;
#[cfg(test)]
mod tests;
mod wait;

/// How to use a database file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits while another process writes.
    pub busy_timeout: Duration,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    pub partitions: u16,
    /// Connections that read at the same time.
    pub readers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), partitions: PARTITIONS, readers: 2 }
    }
}

/// A store in an SQLite file. Clones share the connections; each clone remembers for itself what it has waited for, so every
/// worker should have its own.
#[derive(Debug)]
pub struct Sqlite {
    shared: Arc<Shared>,
    watch: Mutex<Watch>,
}

#[derive(Debug)]
struct Shared {
    options: Options,
    writer: Mutex<Connection>,
    readers: Readers,
    queries: AtomicU64,
    wakes: AtomicU64,
    woken: Notify,
    /// Where the next purge goes on, while there is more to purge.
    purge_from: AtomicI64,
}

impl Sqlite {
    /// Opens a file, and makes an empty one if there is none. Says nothing about what is in it: see [`Sqlite::migrate`].
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let writer = connection::open(path, &options, Role::Relay)?;
        let watch = Watch::starting_at(wait::data_version(&writer)?);
        let shared = Shared {
            writer: Mutex::new(writer),
            readers: Readers::new(path, &options),
            options,
            queries: AtomicU64::new(0),
            wakes: AtomicU64::new(0),
            woken: Notify::new(),
            purge_from: AtomicI64::new(0),
        };
        Ok(Self { shared: Arc::new(shared), watch: Mutex::new(watch) })
    }

    /// How often the database was asked for something since it was opened: what an idle relay costs.
    pub fn queries(&self) -> u64 {
        self.shared.queries.load(Ordering::Relaxed)
    }

    /// Tells the relays in this process that something was committed. Only a hint: they find out by themselves.
    pub fn wake(&self) {
        self.shared.wakes.fetch_add(1, Ordering::Release);
        self.shared.woken.notify_waiters();
    }

    /// Reads on one of the readers' connections. Each statement sees the newest commit, unless `work` opens a transaction.
    async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = self.asked();
        let turn = shared.readers.turn().await;
        blocking(move || {
            let _turn = turn;
            shared.readers.run(work)
        })
        .await
    }

    /// Writes in one transaction, which takes the lock first, so that it never has to give up half-way.
    async fn writing<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.with_writer(|writer| {
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
        .await
    }

    async fn with_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = self.asked();
        blocking(move || work(&mut shared.writer.lock().unwrap_or_else(PoisonError::into_inner))).await
    }

    fn asked(&self) -> Arc<Shared> {
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        Arc::clone(&self.shared)
    }
}

impl Clone for Sqlite {
    fn clone(&self) -> Self {
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { shared: Arc::clone(&self.shared), watch: Mutex::new(watch) }
    }
}

/// Runs on a thread that may block. What was started is finished even if nobody waits for it any more.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::new(Kind::Unavailable, "the process is shutting down")),
    }
}
