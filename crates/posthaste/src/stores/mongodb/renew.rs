//! Keeping partitions, and saying how the worker is.

use std::time::Duration;

use mongodb::bson::doc;

use super::codec;
use super::db::{Db, found};
use super::lease::held_by;
use super::retry::again;
use super::{MongoDb, workers};
use crate::error::Result;
use crate::journal::{Lease, Partition, WorkerId, WorkerReport};

pub(super) async fn renew(
    store: &MongoDb,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &WorkerReport,
) -> Result<Vec<Partition>> {
    workers::announce(store.db(), worker, ttl, Some(report)).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    again!(extend(store.db(), worker, ttl, held))
}

async fn extend(db: &Db, worker: &WorkerId, ttl: Duration, held: &[Lease]) -> Result<Vec<Partition>> {
    let ours = held_by(worker, held);
    let extend = vec![doc! { "$set": { "expiresAt": { "$add": ["$$NOW", codec::millis(ttl)] } } }];
    db.partitions.update_many(ours.clone(), extend).await?;
    // What was not extended had changed hands, and an epoch does not come back.
    let kept = db.partitions.find(ours).projection(doc! { "_id": 1 }).sort(doc! { "_id": 1 });
    found(kept.await?).await?.iter().map(|one| codec::partition(one, "_id")).collect()
}
