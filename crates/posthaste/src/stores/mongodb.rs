//! MongoDB: a sequencer gives committed messages consecutive positions.
//!
//! The application inserts documents with its own [`ClientSession`](mongodb::ClientSession), in its own transaction
//! ([`Outbox::enqueue`], or plain inserts from any language). A commit has no number that a reader could follow, so the
//! relay numbers what is committed, in one transaction per batch. The collection is the truth: what has no position yet is
//! found by that, and the change stream only tells when to look, and in which order plain documents were committed.
//!
//! ```text
//!   application ──insert──► outbox_events ──sequencer (outbox_state)──► read ──► sinks
//!                                 │ change stream: wakes, commit order      │
//!                                 └────────────────────────────────►        ▼
//!          outbox_partitions (leases + cursors), outbox_parked, … ◄──commit (fenced by epoch)
//! ```
//!
//! Who is authoritative: `outbox_state.newest` for positions (nobody reads beyond it), the partition's document for its lease
//! and its cursors (one document, so the fence and the write are one), `$$NOW` of the primary for time.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use mongodb::Client;
use mongodb::options::{ClientOptions, DatabaseOptions, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};
use uuid::Uuid;

use self::change_stream::ChangeStream;
use self::db::Db;
pub(crate) use self::migrate::ensure_collection;
pub use self::options::{Fields, Options, StatusNames};
pub use self::outbox::{Outbox, Transaction};
pub use self::propose::{FoundField, Proposal};
use self::status_stamps::Pace;
use crate::Secret;
use crate::error::{Error, Kind, Result};
use crate::stores::silence::Silence;

mod abandoned_sessions;
mod advance;
mod audit;
mod change_source;
mod change_stream;
mod change_tenant;
mod check;
mod codec;
mod commit;
mod db;
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
mod migrate;
mod open;
mod operate;
mod oplog;
mod options;
mod outbox;
mod overview;
mod partitions;
mod pause;
mod progress;
mod propose;
mod purge;
mod read;
mod read_key;
mod register;
mod release;
mod release_source;
mod renew;
mod retry;
mod rows;
mod sequencer;
mod session_register;
mod settle;
mod sources;
mod state;
mod status_stamps;
mod store;
mod store_transaction;
mod watch;
mod workers;
mod write;

/// A store in a MongoDB replica set. Clones share the connections and the change stream.
#[derive(Debug, Clone)]
pub struct MongoDb {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    silence: Silence,
    db: Db,
    outbox: Outbox,
    /// Who this is as a sequencer: one per opened store, whatever the workers in it are called.
    sequencer: String,
    /// Known once the journal was seen.
    partitions: OnceLock<u16>,
    change_stream: ChangeStream,
    stamps: Mutex<Pace>,
    /// Where the next purge goes on, while there is more to purge.
    purge_from: AtomicU64,
}

/// How often the driver asks a server whether it is there.
const HEARTBEAT: Duration = Duration::from_secs(2);

impl MongoDb {
    /// Opens the store at a `mongodb://` or `mongodb+srv://` address. Connects when it is first needed, and says nothing about
    /// what is there: see [`Store::migrate`](crate::store::Store::migrate).
    pub async fn open(address: impl Into<Secret>, options: Options) -> Result<Self> {
        let mut client = ClientOptions::parse(address.into().expose()).await.map_err(error::address)?;
        client.app_name.get_or_insert_with(|| "posthaste".into());
        client.connect_timeout.get_or_insert(options.connect_timeout);
        client.server_selection_timeout.get_or_insert(options.server_selection_timeout);
        // By which the driver notices that a server is gone, and gives up the connections that nobody waits on.
        client.heartbeat_freq.get_or_insert(HEARTBEAT);
        let database = options.database.clone().or_else(|| client.default_database.clone());
        let database = database.ok_or_else(|| {
            Error::new(Kind::Invalid, "the address names no database: end it with /NAME, or give `database`")
        })?;
        let client = Client::with_options(client).map_err(error::address)?;
        Self::with_client(client, &database, options)
    }

    /// Uses a client that is there already, with a pool of its own or shared with the application.
    pub fn with_client(client: Client, database: &str, options: Options) -> Result<Self> {
        options.check()?;
        let concerns = DatabaseOptions::builder()
            .read_concern(ReadConcern::majority())
            .write_concern(WriteConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
            .build();
        let answer_timeout = options.answer_timeout;
        let options = Arc::new(Options { database: Some(database.into()), ..options });
        let shared = Shared {
            outbox: Outbox::sharing(Arc::clone(&options)),
            db: Db::new(client.database_with_options(database, concerns), options),
            silence: Silence::after(answer_timeout),
            sequencer: Uuid::now_v7().to_string(),
            partitions: OnceLock::new(),
            change_stream: ChangeStream::default(),
            stamps: Mutex::default(),
            purge_from: AtomicU64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Asks for as long as that may take.
    async fn in_time<T>(&self, verb: &str, asking: impl Future<Output = Result<T>>) -> Result<T> {
        self.shared.silence.limits(verb, asking).await
    }

    /// The name of the collection that applications write to.
    pub fn collection(&self) -> &str {
        &self.db().options.collection
    }

    /// What an application writes with: the outbox in this store's database and collection, with its names of fields.
    pub fn outbox(&self) -> &Outbox {
        &self.shared.outbox
    }

    /// Begins a transaction by the store's own client, with the concerns that an outbox needs: snapshot and majority.
    pub async fn begin(&self) -> Result<Transaction> {
        self.outbox().in_session(store_transaction::start(self.db().database.client()).await?)
    }

    /// What the collection would be read as, whatever its fields are called, and some messages of it. Nothing is changed.
    pub async fn propose(&self, limit: usize) -> Result<Proposal> {
        self.in_time("propose", propose::propose(self, limit)).await
    }

    /// What the change stream has cost so far: how often it had to be opened anew.
    pub fn stream_restarts(&self) -> u64 {
        self.shared.change_stream.restarts()
    }

    fn db(&self) -> &Db {
        &self.shared.db
    }
}
