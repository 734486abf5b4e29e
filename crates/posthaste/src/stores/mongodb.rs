//! MongoDB: a sequencer gives committed messages consecutive positions.
//!
//! The application inserts documents with its own [`ClientSession`](mongodb::ClientSession), in its own transaction
//! ([`MongoDb::enqueue`], or plain inserts from any language). A commit has no number that a reader could follow, so the
//! relay numbers what is committed, in one transaction per batch. The collection is the truth: what has no position yet is
//! found by that, and the change stream only tells when to look, and in which order plain documents were committed.
//!
//! ```text
//!   application ──insert──► outbox_events ──sequence (outbox_state)──► read ──► sinks
//!                                 │ change stream: wakes, commit order     │
//!                                 └────────────────────────────────►       ▼
//!          outbox_partitions (leases + cursors), outbox_parked, … ◄──commit (fenced by epoch)
//! ```
//!
//! Who is authoritative: `outbox_state.newest` for positions (nobody reads beyond it), the partition's document for its lease
//! and its cursors (one document, so the fence and the write are one), `$$NOW` of the primary for time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mongodb::options::{ClientOptions, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};
use mongodb::{Client, bson};
use tokio::task::JoinSet;
use uuid::Uuid;

use self::db::Db;
use self::feed::{Feed, Standing};
pub(crate) use self::migrate::ensure_collection;
pub use self::options::{Fields, Options, StatusNames};
pub use self::transaction::Transaction;
use crate::error::{Error, Kind, Result};

mod audit;
mod census;
mod check;
mod chunks;
mod codec;
mod commit;
mod db;
mod document;
mod due;
mod enqueue;
mod error;
mod feed;
mod inspect;
mod journal;
mod json;
mod lease;
mod list;
mod lock_keys;
mod migrate;
mod open;
mod open_transaction;
mod operate;
mod oplog;
mod options;
mod overview;
mod purge;
mod read;
mod register;
mod report;
mod sequence;
mod session;
mod sessions;
mod stamp;
mod standing;
mod stream;
mod token;
mod transaction;
mod wait;

/// A store in a MongoDB replica set. Clones share the connections and the change stream.
#[derive(Debug, Clone)]
pub struct MongoDb {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    db: Db,
    /// Who this is as a sequencer: one per opened store, whatever the workers in it are called.
    sequencer: String,
    /// Known once the journal was seen.
    partitions: OnceLock<u16>,
    feed: Arc<Feed>,
    /// Reads the change stream; ends with the store.
    stream: Mutex<JoinSet<()>>,
    token: Mutex<token::Saved>,
    stamps: Mutex<stamp::Pace>,
    /// Where the next purge goes on, while there is more to purge.
    purge_from: AtomicU64,
}

impl MongoDb {
    /// Connects with a `mongodb://` or `mongodb+srv://` address. Says nothing about what is there: see [`MongoDb::migrate`].
    pub async fn connect(url: &str, options: Options) -> Result<Self> {
        let mut client = ClientOptions::parse(url).await.map_err(error::address)?;
        client.app_name.get_or_insert_with(|| "posthaste".into());
        client.connect_timeout.get_or_insert(options.connect_timeout);
        client.server_selection_timeout.get_or_insert(options.server_selection_timeout);
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
        let concerns = mongodb::options::DatabaseOptions::builder()
            .read_concern(ReadConcern::majority())
            .write_concern(WriteConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
            .build();
        let db = Db::new(client.database_with_options(database, concerns), options);
        let shared = Shared {
            db,
            sequencer: Uuid::now_v7().to_string(),
            partitions: OnceLock::new(),
            feed: Arc::new(Feed::default()),
            stream: Mutex::new(JoinSet::new()),
            token: Mutex::default(),
            stamps: Mutex::default(),
            purge_from: AtomicU64::new(0),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The name of the collection that applications write to.
    pub fn collection(&self) -> &str {
        &self.db().options.collection
    }

    /// What the change stream has cost so far: how often it had to be opened anew.
    pub fn stream_restarts(&self) -> u64 {
        self.shared.feed.restarts.load(Ordering::Relaxed)
    }

    fn db(&self) -> &Db {
        &self.shared.db
    }

    /// Starts to read the change stream, once, when someone first needs it.
    fn follow(&self) {
        if !self.db().options.change_stream {
            return;
        }
        let mut stream = self.shared.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if stream.is_empty() {
            self.shared.feed.stands(Standing::Opening);
            stream.spawn(stream::follow(self.db().clone(), Arc::clone(&self.shared.feed)));
        }
    }
}

/// Milliseconds since 1970 as the server writes them.
fn date(millisecond: i64) -> bson::DateTime {
    bson::DateTime::from_millis(millisecond)
}
