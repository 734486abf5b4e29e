//! Making the journal.

use std::collections::BTreeMap;

use mongodb::bson::{Bson, Document, doc};
use mongodb::options::WriteConcern;
use mongodb::{Database, IndexModel};

use super::codec::date;
use super::db::{Db, OWN};
use super::partitions::{self, VERSION};
use super::state::JOURNAL;
use super::{MongoDb, error};
use crate::error::{Error, Result};
use crate::stores::version;

pub(super) mod indexes;

const INDEX_NOT_FOUND: i32 = 27;
const NAMESPACE_EXISTS: i32 = 48;

/// Brings the journal to the version of this library: collections, indexes, one document per partition. As often as one
/// likes, from as many processes as one likes. Documents that are there already are left as they are.
pub(super) async fn migrate(store: &MongoDb) -> Result<()> {
    let db = store.db();
    partitions::refuse_single_server(&db.database).await?;
    if let Some(found) = partitions::find(&db.database).await? {
        version::migratable(found.version, VERSION)?;
    }
    for name in OWN.into_iter().chain([store.collection()]) {
        ensure_collection(&db.database, name).await?;
    }
    make_indexes(db).await?;
    make_partitions(db).await
}

/// Makes a collection, unless it is there.
pub(crate) async fn ensure_collection(database: &Database, name: &str) -> Result<()> {
    unless(NAMESPACE_EXISTS, database.create_collection(name).await)
}

/// Somebody else was faster, or it was so before.
fn unless(code: i32, outcome: mongodb::error::Result<()>) -> Result<()> {
    let Err(error) = outcome.map_err(Error::from) else { return Ok(()) };
    let is_so = error::failure_of(&error).is_some_and(|failure| failure.code == Some(code));
    if is_so { Ok(()) } else { Err(error) }
}

async fn make_indexes(db: &Db) -> Result<()> {
    let mut by_collection: BTreeMap<String, Vec<IndexModel>> = BTreeMap::new();
    for (collection, index) in indexes::indexes(&db.options) {
        by_collection.entry(collection).or_default().push(index);
    }
    for (collection, indexes) in by_collection {
        db.database.collection::<Document>(&collection).create_indexes(indexes).await?;
    }
    for (collection, replaced) in indexes::REPLACED {
        unless(INDEX_NOT_FOUND, db.database.collection::<Document>(collection).drop_index(replaced).await)?;
    }
    Ok(())
}

async fn make_partitions(db: &Db) -> Result<()> {
    let wanted = i64::from(db.options.partitions.max(1));
    let journal = doc! {
        "version": VERSION, "partitions": wanted, "newest": 0i64, "stamped": 0i64, "wakes": 0i64,
    };
    let first = db.state.update_one(doc! { "_id": JOURNAL }, doc! { "$setOnInsert": journal }).upsert(true);
    first.write_concern(WriteConcern::majority()).await?;
    let partitions = partitions::find(&db.database).await?.ok_or_else(error::no_journal)?.partitions;
    let free = doc! { "worker": Bson::Null, "epoch": 0i64, "expiresAt": date(0), "lanes": {} };
    let make = |partition: u16| {
        doc! { "q": { "_id": i64::from(partition) }, "u": { "$setOnInsert": &free }, "upsert": true }
    };
    db.update_all("outbox_partitions", (0..partitions).map(make).collect(), None).await?;
    Ok(())
}
