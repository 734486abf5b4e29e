//! Who holds which partition.

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::MongoDb;
use super::codec::{self, moment};
use super::db::{Db, found_in};
use super::retry::in_snapshot;
use super::state::State;
use crate::error::Result;
use crate::inspect::PartitionStatus;

pub(super) async fn leases(store: &MongoDb) -> Result<Vec<PartitionStatus>> {
    let db = store.db();
    in_snapshot!(db, session => all(db, &mut session))
}

async fn all(db: &Db, session: &mut ClientSession) -> Result<Vec<PartitionStatus>> {
    let now = State::load(db, session).await?.now;
    let only = doc! { "worker": 1, "epoch": 1, "expiresAt": 1 };
    let held = db.partitions.find(doc! {}).sort(doc! { "_id": 1 }).projection(only).session(&mut *session).await?;
    let status = |one| -> Result<PartitionStatus> {
        let worker = mongodb::bson::Document::get_str(one, "worker").ok().map(str::to_owned);
        let left = moment(one, "expiresAt").unwrap_or_default() - now;
        Ok(PartitionStatus {
            partition: codec::partition(one, "_id")?,
            expires_in_seconds: (left > 0 && worker.is_some()).then(|| left as f64 / 1_000.0),
            worker,
            epoch: codec::decode_epoch(one)?,
        })
    };
    found_in(held, session).await?.iter().map(status).collect()
}
