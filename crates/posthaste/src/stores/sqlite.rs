//! SQLite: one writer at a time, so the sequence number of a row is its commit order.
//!
//! The application writes with its own connection ([`connect`] makes a good one) and an [`Outbox`], inside its own transaction.
//! The relay has a connection that writes, one that reads on, and one that answers operators, each with a thread of its own. Each
//! verb of the ports is a file of its name. Its statements are under `sql/`, each with what it guarantees and the index it uses.
//!
//! ```text
//!   application ──INSERT──► outbox ──read──► relay ──► sinks
//!                                              │
//!        outbox_cursors, outbox_parked, … ◄──commit (fenced by outbox_leases)
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::Notify;

use self::connection::Role;
pub use self::connection::connect;
use self::connection_thread::ConnectionThread;
#[cfg(feature = "sqlx-sqlite")]
pub(crate) use self::error::sqlx as sqlx_error;
pub use self::options::Options;
pub use self::outbox::Outbox;
use crate::error::Result;

mod advance;
mod audit;
mod change_source;
mod change_tenant;
mod codec;
mod commit;
mod connection;
mod connection_thread;
mod counts;
mod due;
mod error;
mod get;
mod ingest;
mod inspect;
mod jobs;
mod journal;
mod lease;
mod lease_source;
mod leases;
mod list;
mod mark;
mod migrate;
mod open;
mod operate;
mod options;
mod outbox;
mod overview;
mod partitions;
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
mod store;
#[cfg(test)]
mod tests;
mod watch;
mod write;

/// A store in an SQLite file. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Sqlite {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: Options,
    writer: ConnectionThread,
    /// Reads for the engine, which waits for nobody else.
    reader: ConnectionThread,
    /// Answers operators, and may take its time.
    inspector: ConnectionThread,
    /// The `data_version` of the writing connection when it was opened.
    version: i64,
    queries: AtomicU64,
    wakes: AtomicU64,
    woken: Notify,
    /// Where the next purge goes on, while there is more to purge.
    purge_from: AtomicI64,
}

impl Sqlite {
    /// Opens a file, and makes an empty one if there is none. Says nothing about what is in it: see
    /// [`Store::migrate`](crate::store::Store::migrate).
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let writer = connection::open(path, &options, Role::Relay)?;
        let version = watch::data_version(&writer)?;
        let shared = Shared {
            writer: ConnectionThread::start(writer)?,
            reader: ConnectionThread::start(connection::open(path, &options, Role::Reader)?)?,
            inspector: ConnectionThread::start(connection::open(path, &options, Role::Reader)?)?,
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
        self.counted().reader.run(|connection| work(connection)).await
    }

    /// As [`Sqlite::reading`], for requests that may take longer than the engine can wait.
    async fn inspecting<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.counted().inspector.run(|connection| work(connection)).await
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
        self.counted().writer.run(work).await
    }

    /// What all clones share, for one more request to the database.
    fn counted(&self) -> &Shared {
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        &self.shared
    }
}
