//! SQLite: one writer at a time, so the sequence number of a row is its commit order.
//!
//! The application writes with its own connection ([`connect`] makes a good one) and [`enqueue`] inside its own transaction.
//! The relay has a connection that writes, one that reads on, and one that answers people, each with a thread of its own. All statements are
//! plain `.sql` files beside this one, each with what it guarantees and the index it uses.
//!
//! ```text
//!   application ──INSERT──► outbox ──read──► relay ──► sinks
//!                                              │
//!        outbox_cursors, outbox_parked, … ◄──commit (fenced by outbox_leases)
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::Notify;

use self::connection::Role;
pub use self::connection::connect;
use self::desk::Desk;
pub use self::enqueue::enqueue;
#[cfg(feature = "sqlx-sqlite")]
pub use self::enqueue::sqlx::enqueue as enqueue_sqlx;
#[cfg(feature = "sqlx-sqlite")]
pub(crate) use self::error::sqlx as sqlx_error;
use crate::error::Result;
use crate::journal::PARTITIONS;

mod audit;
mod census;
mod codec;
mod commit;
mod connection;
mod desk;
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
mod write;

/// How to use a database file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits while another process writes.
    pub busy_timeout: Duration,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    pub partitions: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), partitions: PARTITIONS }
    }
}

/// A store in an SQLite file. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Sqlite {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: Options,
    writer: Desk,
    /// Reads for the engine, which waits for nobody else.
    reader: Desk,
    /// Answers people, and may take its time.
    clerk: Desk,
    /// The `data_version` of the writing connection when it was opened.
    version: i64,
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
        let version = wait::data_version(&writer)?;
        let shared = Shared {
            writer: Desk::around(writer)?,
            reader: Desk::around(connection::open(path, &options, Role::Reader)?)?,
            clerk: Desk::around(connection::open(path, &options, Role::Reader)?)?,
            path: path.to_owned(),
            options,
            version,
            queries: AtomicU64::new(0),
            wakes: AtomicU64::new(0),
            woken: Notify::new(),
            purge_from: AtomicI64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
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

    /// Reads for the engine. Each statement sees the newest commit, unless `work` opens a transaction.
    async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.asked().reader.run(|connection| work(connection)).await
    }

    /// As [`Sqlite::reading`], for questions that may take longer than the engine can wait.
    async fn looking_up<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.asked().clerk.run(|connection| work(connection)).await
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
        self.asked().writer.run(work).await
    }

    fn asked(&self) -> &Shared {
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        &self.shared
    }

    /// The size of the write-ahead log.
    fn log_bytes(&self) -> u64 {
        let mut log = self.shared.path.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).map_or(0, |log| log.len())
    }
}
