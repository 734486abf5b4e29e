//! Making the journal, and telling one of another version.

use std::collections::BTreeMap;
use std::time::Duration;

use mongodb::bson::{Bson, Document, doc};
use mongodb::options::{IndexOptions, WriteConcern};
use mongodb::{Database, IndexModel};

use super::codec::{encode_done, whole};
use super::db::{Db, JOURNAL, OWN};
use super::{MongoDb, error};
use crate::error::{Error, Kind, Result};
use crate::journal::Cursor;

/// The version of the journal that this library makes and reads.
const VERSION: i64 = 1;

/// How long a resume token that nobody advances is kept: far longer than any oplog.
const TOKEN_DAYS: u64 = 30;

/// How long a key that somebody locked is remembered: far longer than any transaction.
const KEY_REMEMBERED: Duration = Duration::from_secs(24 * 3_600);

/// A worker that ended without a word is shown for this long.
const SHOWN_AFTER_END: Duration = Duration::from_secs(24 * 3_600);

const NAMESPACE_EXISTS: i32 = 48;

impl MongoDb {
    /// Brings the journal to the version of this library: collections, indexes, one document per partition. As often as one
    /// likes, from as many processes as one likes. Documents that are there already are left as they are.
    pub async fn migrate(&self) -> Result<()> {
        let db = self.db();
        refuse_single_server(db).await?;
        if let Some(found) = found(db).await?
            && found.version > VERSION
        {
            return Err(too_new(found.version));
        }
        for name in OWN.into_iter().chain([self.collection()]) {
            ensure_collection(&db.database, name).await?;
        }
        let mut by_collection: BTreeMap<String, Vec<IndexModel>> = BTreeMap::new();
        for (collection, index) in indexes(db) {
            by_collection.entry(collection).or_default().push(index);
        }
        for (collection, indexes) in by_collection {
            db.database.collection::<Document>(&collection).create_indexes(indexes).await?;
        }
        self.make_partitions().await
    }

    async fn make_partitions(&self) -> Result<()> {
        let db = self.db();
        let wanted = i64::from(db.options.partitions.max(1));
        let journal = doc! {
            "version": VERSION, "partitions": wanted, "newest": 0i64, "stamped": 0i64, "wakes": 0i64,
        };
        let first = db.state.update_one(doc! { "_id": JOURNAL }, doc! { "$setOnInsert": journal }).upsert(true);
        first.write_concern(WriteConcern::majority()).await?;
        let partitions = found(db).await?.ok_or_else(error::no_journal)?.partitions;
        let free = doc! { "worker": Bson::Null, "epoch": 0i64, "expiresAt": super::date(0), "lanes": {} };
        let make = |partition: u16| {
            doc! { "q": { "_id": i64::from(partition) }, "u": { "$setOnInsert": &free }, "upsert": true }
        };
        db.update_all("outbox_partitions", (0..partitions).map(make).collect(), None).await?;
        Ok(())
    }

    /// The number of partitions of a journal of the right version. Fixed for ever, so it is asked once.
    pub(super) async fn count_partitions(&self) -> Result<u16> {
        if let Some(partitions) = self.shared.partitions.get() {
            return Ok(*partitions);
        }
        refuse_single_server(self.db()).await?;
        let found = found(self.db()).await?.ok_or_else(error::no_journal)?;
        match found.version.cmp(&VERSION) {
            std::cmp::Ordering::Equal => Ok(*self.shared.partitions.get_or_init(|| found.partitions)),
            std::cmp::Ordering::Greater => Err(too_new(found.version)),
            std::cmp::Ordering::Less => {
                let text = format!(
                    "the journal is of version {}, older than this program: run `posthaste migrate`",
                    found.version
                );
                Err(Error::new(Kind::Schema, text))
            }
        }
    }
}

/// A lane of a destination that has not begun.
pub(super) fn new_lane(low: i64, now: i64) -> Document {
    doc! { "low": low, "done": encode_done(&Cursor::default()), "at": super::date(now), "worker": Bson::Null }
}

/// What a journal says about itself.
struct Found {
    version: i64,
    partitions: u16,
}

async fn found(db: &Db) -> Result<Option<Found>> {
    let Some(state) = db.state.find_one(doc! { "_id": JOURNAL }).await? else { return Ok(None) };
    let partitions = u16::try_from(whole(&state, "partitions")?).unwrap_or(u16::MAX);
    Ok(Some(Found { version: whole(&state, "version")?, partitions }))
}

async fn refuse_single_server(db: &Db) -> Result<()> {
    let hello = db.database.run_command(doc! { "hello": 1 }).await?;
    let is_router = hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid");
    if is_router || hello.contains_key("setName") { Ok(()) } else { Err(error::no_replica_set()) }
}

/// Makes a collection, unless it is there.
pub(crate) async fn ensure_collection(database: &Database, name: &str) -> Result<()> {
    let Err(error) = database.create_collection(name).await else { return Ok(()) };
    let error = Error::from(error);
    let exists = error::failure_of(&error).is_some_and(|failure| failure.code == Some(NAMESPACE_EXISTS));
    if exists { Ok(()) } else { Err(error) }
}

/// Every index with its collection. Their names say what they are for; `check` tells which are missing.
pub(super) fn indexes(db: &Db) -> Vec<(String, IndexModel)> {
    let fields = &db.options.fields;
    let events = db.options.collection.as_str();
    let placed = doc! { "posthaste.seq": { "$gt": 0i64 } };
    vec![
        // What has no place yet, in the order of writing; and reading on.
        index(
            events,
            "outbox_journal",
            doc! { "posthaste.seq": 1, &fields.recorded_at: 1, "posthaste.partition": 1 },
            None,
        ),
        // A held key that catches up, and whoever looks a key up.
        index(events, "outbox_key", doc! { "posthaste.key": 1, &fields.tenant: 1, "posthaste.seq": 1 }, Some(placed)),
        index(events, "outbox_aggregate", doc! { &fields.aggregate_id: 1 }, None),
        // For people; nothing here reads it.
        index(events, "outbox_status", doc! { &fields.status: 1, &fields.occurred_at: 1 }, None),
        index(events, "outbox_id", doc! { "posthaste.id": 1 }, Some(doc! { "posthaste.id": { "$exists": true } })),
        index(events, "outbox_restamp", doc! { "posthaste.restamp": 1 }, Some(doc! { "posthaste.restamp": true })),
        unique(index(
            events,
            "outbox_source",
            doc! { &fields.source_stream: 1, &fields.source_event: 1, &fields.destination: 1 },
            Some(doc! { &fields.source_stream: { "$exists": true } }),
        )),
        index("outbox_parked", "outbox_parked_due", doc! { "destination": 1, "dueAt": 1, "seq": 1 }, None),
        index("outbox_parked", "outbox_parked_state", doc! { "state": 1, "seq": 1 }, None),
        index("outbox_parked", "outbox_parked_seq", doc! { "seq": 1 }, None),
        index("outbox_parked", "outbox_parked_head", doc! { "scope": 1 }, Some(doc! { "holds": true })),
        index("outbox_held_keys", "outbox_held_keys_lane", doc! { "destination": 1, "partition": 1 }, None),
        index("outbox_attempts", "outbox_attempts_seq", doc! { "seq": 1, "destination": 1 }, None),
        index("outbox_chunks", "outbox_chunks_message", doc! { "message": 1, "n": 1 }, None),
        expiring("outbox_tokens", "outbox_tokens_ttl", "at", Duration::from_secs(TOKEN_DAYS * 24 * 3_600)),
        expiring("outbox_keys", "outbox_keys_ttl", "at", KEY_REMEMBERED),
        expiring("outbox_workers", "outbox_workers_ttl", "expiresAt", SHOWN_AFTER_END),
    ]
}

fn index(collection: &str, name: &str, keys: Document, only: Option<Document>) -> (String, IndexModel) {
    let options = IndexOptions::builder().name(name.to_owned()).partial_filter_expression(only).build();
    (collection.to_owned(), IndexModel::builder().keys(keys).options(options).build())
}

fn unique((collection, mut index): (String, IndexModel)) -> (String, IndexModel) {
    if let Some(options) = &mut index.options {
        options.unique = Some(true);
    }
    (collection, index)
}

fn expiring(collection: &str, name: &str, field: &str, after: Duration) -> (String, IndexModel) {
    let options = IndexOptions::builder().name(name.to_owned()).expire_after(after).build();
    (collection.to_owned(), IndexModel::builder().keys(doc! { field: 1 }).options(options).build())
}

fn too_new(version: i64) -> Error {
    let text = format!("the journal is of version {version}, this program knows versions up to {VERSION}: update it");
    Error::new(Kind::Schema, text)
}
