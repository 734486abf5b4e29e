//! Holding and resuming all deliveries to a destination.

use mongodb::bson::doc;

use super::MongoDb;
use super::register::require_known;
use crate::destination::Name;
use crate::error::Result;

pub(super) async fn pause(store: &MongoDb, destination: &Name) -> Result<bool> {
    set(store, destination, true).await
}

pub(super) async fn resume(store: &MongoDb, destination: &Name) -> Result<bool> {
    set(store, destination, false).await
}

/// Returns whether that changed anything.
async fn set(store: &MongoDb, destination: &Name, paused: bool) -> Result<bool> {
    require_known(store.db(), destination).await?;
    let other = doc! { "_id": destination.as_str(), "paused": { "$ne": paused } };
    let changed = store.db().destinations.update_one(other, doc! { "$set": { "paused": paused } }).await?;
    Ok(changed.matched_count == 1)
}
