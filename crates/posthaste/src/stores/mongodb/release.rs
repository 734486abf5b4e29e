//! Giving partitions back.

use mongodb::bson::{Bson, doc};

use super::codec::date;
use super::lease::held_by;
use super::state::JOURNAL;
use super::{MongoDb, workers};
use crate::error::Result;
use crate::journal::{Lease, WorkerId};

pub(super) async fn release(store: &MongoDb, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
    let db = store.db();
    if !held.is_empty() {
        let free = doc! { "$set": { "worker": Bson::Null, "expiresAt": date(0) } };
        db.partitions.update_many(held_by(worker, held), free).await?;
    }
    if leaving {
        workers::leave(db, worker).await?;
        let sequencer = doc! { "_id": JOURNAL, "sequencer.holder": &store.shared.sequencer };
        db.state.update_one(sequencer, doc! { "$set": { "sequencer.until": date(0) } }).await?;
    }
    Ok(())
}
