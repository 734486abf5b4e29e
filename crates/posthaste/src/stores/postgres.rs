//! PostgreSQL: a journal in commit order by **ticks**, without an extension, a replication slot or a superuser.
//!
//! Sequence numbers are taken before a commit, so "everything after the last number" loses whatever commits late. So each row
//! carries the id of its transaction, and a tick is a snapshot that is kept: tick *n* holds the rows that are visible in its
//! snapshot and not in the one before, in the order of their sequence numbers. A transaction that is held open for an hour
//! delays only its own messages.
//!
//! ```text
//!   transactions      ──A──┐   ┌─B──────────────────┐        A, C are in tick 1; B was running then
//!                      ┌─C─┴─┐ │     ┌─D─┐          │        D is in tick 2; B still runs
//!   ───────────────────┴─────▲─┴─────┴───┴──▲───────┴──▲──►
//!                          tick 1         tick 2     tick 3  B is late, and in tick 3
//! ```
//!
//! Whoever looks for something new makes the next tick, in one statement that takes its snapshot and finds out what is in it
//! (`advance.sql`). A number is given once, so of two workers that make the same tick one succeeds. A tick is on the disk before
//! anyone reads it: after a crash no position means something else than before. Cursors need not be: losing one repeats
//! deliveries.
//!
//! The application writes with [`enqueue`] on its own connection, or with plain SQL. Statements are `.sql` files beside this one.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use deadpool_postgres::{Client, Pool};
use serde::Deserialize;
use tokio::sync::Notify;

#[cfg(feature = "sqlx-postgres")]
pub use self::enqueue::sqlx::enqueue as enqueue_sqlx;
pub use self::enqueue::{Connection, Outbox, enqueue};
use self::ticks::Ticks;
use crate::error::{Error, Result};
use crate::journal::PARTITIONS;

mod audit;
mod check;
mod codec;
mod commit;
mod connection;
mod due;
mod enqueue;
mod error;
mod guard;
mod inspect;
mod journal;
mod lease;
mod list;
mod listen;
mod migrate;
mod open;
mod operate;
mod overview;
mod purge;
mod read;
mod read_key;
mod register;
mod report;
mod segments;
mod ticks;
mod tls;
mod upkeep;
mod wait;
mod write;

/// The schema that the journal lives in unless told otherwise.
pub const SCHEMA: &str = "posthaste";

/// How to use a database.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// `postgres://user:password@host:5432/database?sslmode=require`, or the same as `host=… user=…`.
    #[serde(skip)]
    pub url: String,
    /// In place of the one in the URL.
    pub password: Option<String>,
    /// The schema of the journal.
    pub schema: String,
    /// Connections of one relay, at most. Plus one, with `listen`.
    pub connections: usize,
    /// Be woken by `NOTIFY posthaste` (the schema's name), if someone sends it; polling goes on.
    pub listen: bool,
    /// Certificates (PEM) of those whom to trust, in place of the system's.
    pub root_certificates: Option<PathBuf>,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    #[serde(skip)]
    pub partitions: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            url: String::new(),
            password: None,
            schema: SCHEMA.into(),
            connections: 4,
            listen: false,
            root_certificates: None,
            partitions: PARTITIONS,
        }
    }
}

/// Shows neither the URL nor the password.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .field("listen", &self.listen)
            .field("partitions", &self.partitions)
            .finish_non_exhaustive()
    }
}

/// A store in PostgreSQL. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    /// Where it is, for errors.
    place: String,
    pool: Pool,
    ticks: Ticks,
    marks: commit::Marks,
    upkeep: upkeep::Upkeep,
    queries: AtomicU64,
    wakes: AtomicU64,
    woken: Notify,
    guard: guard::Guard,
    listener: listen::Listener,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Postgres {
    /// A handle. Says nothing about the server: it is connected to by the first call, and again whenever that is needed.
    pub fn open(options: Options) -> Result<Self> {
        let shared = Shared {
            pool: connection::pool(&options)?,
            place: connection::place(&connection::config(&options)?),
            options,
            ticks: Ticks::default(),
            marks: commit::Marks::default(),
            upkeep: upkeep::Upkeep::default(),
            queries: AtomicU64::new(0),
            wakes: AtomicU64::new(0),
            woken: Notify::new(),
            guard: guard::Guard::default(),
            listener: listen::Listener::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// How often the database was asked for something since this handle was opened: what an idle relay costs.
    pub fn queries(&self) -> u64 {
        self.shared.queries.load(Ordering::Relaxed)
    }

    /// Tells the relays in this process that something was committed. Only a hint: they find out by themselves.
    pub fn wake(&self) {
        self.shared.wake();
    }

    /// A connection, for as long as its holder needs it.
    async fn client(&self) -> Result<Client> {
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        self.shared.pool.get().await.map_err(|error| Error::from(error).at(&self.shared.place))
    }
}

impl Shared {
    fn wake(&self) {
        self.wakes.fetch_add(1, Ordering::Release);
        self.woken.notify_waiters();
    }
}
