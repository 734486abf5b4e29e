//! Giving a source back.

use mongodb::bson::{Bson, doc};

use super::MongoDb;
use super::codec::{date, epoch};
use super::retry::again;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, WorkerId};

pub(super) async fn release_source(store: &MongoDb, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
    let mine = doc! { "_id": source.as_str(), "worker": &worker.0, "epoch": epoch(held) };
    let free = doc! { "$set": { "worker": Bson::Null, "expiresAt": date(0) } };
    again!(async { Ok(store.db().sources.update_one(mine.clone(), free.clone()).await?) })?;
    Ok(())
}
