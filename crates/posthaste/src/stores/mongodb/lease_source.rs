//! Who reads which source: one document of `outbox_sources` for each, by the primary's clock.

use std::time::Duration;

use mongodb::bson::{Bson, Document, doc};
use mongodb::options::ReturnDocument;

use super::codec::{self, epoch, millis};
use super::partitions::partitions;
use super::retry::again;
use super::{MongoDb, db::Db};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, SourceGrant, SourceLease, SourceReport, WorkerId};
use crate::source::Checkpoint;
use crate::stores::values::encode_source_report;

pub(super) async fn lease_source(
    store: &MongoDb,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &SourceReport,
) -> Result<SourceGrant> {
    partitions(store).await?;
    let db = store.db();
    if held.is_none() {
        know(db, source).await?;
    }
    let held = held.map_or(Bson::Null, |held| epoch(held).into());
    let is_mine = doc! { "$and": [{ "$eq": ["$worker", { "$literal": &worker.0 }] }, { "$eq": ["$epoch", held] }] };
    let is_free = doc! { "$or": [{ "$eq": ["$worker", Bson::Null] }, { "$lte": ["$expiresAt", "$$NOW"] }] };
    let wanted = doc! { "_id": source.as_str(), "paused": false, "$expr": { "$or": [&is_mine, is_free] } };
    let set = doc! { "$set": {
        "epoch": { "$cond": [is_mine, "$epoch", { "$add": ["$epoch", 1i64] }] },
        "worker": { "$literal": &worker.0 },
        "expiresAt": { "$add": ["$$NOW", millis(ttl)] },
        "report": { "$literal": encode_source_report(report)? },
    } };
    let taken = again!(async {
        let take = db.sources.find_one_and_update(wanted.clone(), vec![set.clone()]);
        Ok(take.return_document(ReturnDocument::After).await?)
    })?;
    match taken {
        Some(taken) => Ok(SourceGrant { lease: Some(lease(&taken)?), paused: false }),
        None => Ok(SourceGrant { lease: None, paused: is_paused(db, source).await? }),
    }
}

/// The source is known from now on; by `_id`.
async fn know(db: &Db, source: &Name) -> Result<()> {
    let none = doc! {
        "paused": false, "checkpoint": Bson::Null, "worker": Bson::Null, "epoch": 0i64, "expiresAt": codec::date(0),
        "events": 0i64, "stored": 0i64, "duplicates": 0i64, "ignored": 0i64, "refused": 0i64,
    };
    let make = doc! { "q": { "_id": source.as_str() }, "u": { "$setOnInsert": none }, "upsert": true };
    db.update_all("outbox_sources", vec![make], None).await?;
    Ok(())
}

async fn is_paused(db: &Db, source: &Name) -> Result<bool> {
    let found = db.sources.find_one(doc! { "_id": source.as_str() }).projection(doc! { "paused": 1 }).await?;
    Ok(found.is_some_and(|found| found.get_bool("paused").unwrap_or_default()))
}

fn lease(taken: &Document) -> Result<SourceLease> {
    let checkpoint = taken.get_str("checkpoint").ok();
    Ok(SourceLease { epoch: codec::decode_epoch(taken)?, checkpoint: checkpoint.map(Checkpoint::stored) })
}
