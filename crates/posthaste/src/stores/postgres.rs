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
//! Every worker that polls for something new makes the next tick, in one statement that takes its snapshot and finds out what is in
//! it (`sql/advance.sql`). A number is given once, so of two workers that make the same tick one succeeds. A tick is on the disk
//! before anyone reads it: after a crash no position means something else than before. Cursors need not be on the disk: losing one
//! repeats deliveries.
//!
//! The application writes with an [`Outbox`] on its own connection, or with plain SQL. Each verb of the ports is a file of its name,
//! and its statements are under `sql/`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

#[cfg(feature = "sqlx-postgres")]
pub(crate) use self::error::refused;
pub use self::options::{Options, Pooler};
pub use self::outbox::{Connection, Outbox};
pub use self::schema::SCHEMA;
use crate::error::Result;
use crate::stores::question::Place;

mod accept;
mod address;
mod advance;
mod audit;
mod change_source;
mod change_tenant;
mod check;
mod codec;
mod commit;
mod connection;
mod due;
mod error;
mod get;
mod identity;
mod ingest;
mod inspect;
mod jobs;
mod journal;
mod lease;
mod lease_source;
mod leases;
mod list;
mod listen;
mod mark;
mod migrate;
mod open;
mod operate;
mod options;
mod outbox;
mod overview;
mod partitions;
mod password;
mod pause;
mod pool;
mod pooler;
mod purge;
mod read;
mod read_key;
mod register;
mod release;
mod release_source;
mod renew;
mod schema;
mod segments;
mod session;
mod settle;
mod sources;
mod store;
mod ticks;
mod tls;
mod upkeep;
mod watch;
mod write;

/// A connection to a database that need not have a journal, for whoever reads something else there; and where that is.
#[cfg(feature = "table")]
pub(crate) async fn connect(options: &Options) -> Result<(deadpool_postgres::ClientWrapper, String)> {
    use deadpool_postgres::{ClientWrapper, ConfigConnectImpl, Connect as _};
    let way = connection::Way::to(options)?;
    let connected = way.connect(|config, tls| async move { ConfigConnectImpl { tls }.connect(&config).await }).await;
    let (client, driver) = connected.map_err(|error| error.at(way.place()))?;
    Ok((ClientWrapper::new(client, driver), way.place().to_owned()))
}

/// A store in PostgreSQL. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    way: Arc<connection::Way>,
    pool: pool::Pool,
    partitions: partitions::Known,
    identity: Arc<identity::Identity>,
    ticks: Arc<ticks::Ticks>,
    marks: commit::Marks,
    upkeep: upkeep::Upkeep,
    queries: AtomicU64,
    wakes: AtomicU64,
    woken: Notify,
    listener: listen::Listener,
    waiting: Place,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Postgres {
    /// A handle. Says nothing about the server: the first call connects to it, and later calls do so again whenever that is needed.
    pub fn open(options: Options) -> Result<Self> {
        let (identity, ticks) = (Arc::default(), Arc::default());
        let way = Arc::new(connection::Way::to(&options)?);
        let shared = Shared {
            pool: pool::pool(&options, &way, &identity, &ticks)?,
            way,
            waiting: Place::if_there_is_one(options.connections > 1),
            options,
            partitions: partitions::Known::default(),
            identity,
            ticks,
            marks: commit::Marks::default(),
            upkeep: upkeep::Upkeep::default(),
            queries: AtomicU64::new(0),
            wakes: AtomicU64::new(0),
            woken: Notify::new(),
            listener: listen::Listener::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Where messages are written, in the schema of this store.
    fn outbox(&self) -> Outbox {
        Outbox::in_schema(&self.shared.options.schema)
    }

    /// How often this handle has sent the database a request since it was opened: what an idle relay costs.
    pub fn queries(&self) -> u64 {
        self.shared.queries.load(Ordering::Relaxed)
    }

    /// Tells the relays in this process that something was committed. Only a hint: they find out by themselves.
    pub fn wake(&self) {
        self.shared.wakes.fetch_add(1, Ordering::Release);
        self.shared.woken.notify_waiters();
    }

    /// A connection, for as long as its holder needs it.
    async fn client(&self) -> Result<pool::Client> {
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        self.shared.pool.get().await.map_err(|error| pool::refused(error).at(self.shared.way.place()))
    }

    /// One more connection for what could do with one, if there is one at once and another is left for others.
    async fn spare_client(&self) -> Option<pool::Client> {
        let pool = &self.shared.pool;
        let pool::Status { max_size, size, available, .. } = pool.status();
        let free = (max_size + available).saturating_sub(size);
        if free < 2 {
            return None;
        }
        let at_once = pool::Timeouts { wait: Some(Duration::ZERO), ..pool.timeouts() };
        let client = pool.timeout_get(&at_once).await.ok()?;
        self.shared.queries.fetch_add(1, Ordering::Relaxed);
        Some(client)
    }
}
