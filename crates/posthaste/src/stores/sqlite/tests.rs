//! What is SQLite's own; what it has in common with other stores is in the store suite.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use tokio::task::JoinSet;

use super::{Options, Outbox, Sqlite, connect, connection};
use crate::destination::Destination;
use crate::error::{Error, Kind, Result};
use crate::journal::{Cursor, Entry, Hint, Journal, LaneCommit, Lease, Partition, Position, ReadRequest, WorkerId};
use crate::message::Message;
use crate::store::Store as _;

mod failing;
mod hostile;
mod migrating;
mod plain_sql;
mod status_view;
mod watching;

const LONG: Duration = Duration::from_secs(600);

/// A directory that is gone when the test is.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("posthaste-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&path).expect("the temporary directory can be written to");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("journal.db")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A leftover file is a nuisance, not a failure.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A migrated store in a file of its own.
struct Store {
    sqlite: Sqlite,
    directory: Directory,
}

impl Deref for Store {
    type Target = Sqlite;

    fn deref(&self) -> &Sqlite {
        &self.sqlite
    }
}

impl Store {
    async fn new() -> Result<Self> {
        let directory = Directory::new();
        let sqlite = Sqlite::open(directory.file(), quick())?;
        sqlite.migrate().await?;
        Ok(Self { sqlite, directory })
    }

    /// A connection as an application has it.
    fn application(&self) -> Result<Connection> {
        connect(self.directory.file(), &quick())
    }

    fn write(&self, messages: &[Message]) -> Result<()> {
        let mut connection = self.application()?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Outbox::new().enqueue(&transaction, messages)?;
        Ok(transaction.commit()?)
    }

    /// Everything in the journal.
    async fn entries(&self) -> Result<Vec<Entry>> {
        let request = ReadRequest {
            partitions: Partition::all(self.partitions().await?).collect(),
            after: Position::START,
            until: Position::END,
            limit: 10_000,
            max_bytes: usize::MAX,
        };
        Ok(self.sqlite.read(&request).await?.entries)
    }

    async fn messages(&self) -> Result<Vec<Arc<Message>>> {
        Ok(self.entries().await?.into_iter().map(|entry| entry.message).collect())
    }

    /// Registers a destination that takes everything, and takes all partitions.
    async fn serve(&self, name: &str) -> Result<Vec<Lease>> {
        self.register(&[Destination::new(name)]).await?;
        Ok(self.lease(&worker("w"), LONG, usize::from(u16::MAX)).await?.leases)
    }
}

/// Patience that a test can wait for.
fn quick() -> Options {
    Options { busy_timeout: Duration::from_millis(2_000), ..Options::default() }
}

fn worker(name: &str) -> WorkerId {
    WorkerId(name.to_owned())
}

fn order(id: &str) -> Message {
    Message::builder("order.created", "order", id).build().expect("a valid message")
}

/// A commit that only moves the cursor of a lane.
fn moved(destination: &str, lease: &Lease, low: Position) -> LaneCommit {
    let cursor = Some(Cursor { low, done: Vec::new() });
    LaneCommit { cursor, ..LaneCommit::nothing(destination.into(), lease.partition, lease.epoch) }
}
