//! Making destinations known.

use std::sync::PoisonError;

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::db::Db;
use super::migrate::new_lane;
use super::session::{snapshot, transaction};
use super::{MongoDb, error, sequence};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::Result;

impl MongoDb {
    pub(super) async fn register_all(&self, destinations: &[Destination]) -> Result<()> {
        self.count_partitions().await?;
        if destinations.iter().any(|destination| destination.start_from == StartFrom::Now) {
            // What is committed already is not from now on, numbered or not.
            self.sequence_all().await?;
        }
        let db = self.db();
        transaction!(db, session => register(db, &mut session, destinations))?;
        self.shared.stamps.lock().unwrap_or_else(PoisonError::into_inner).hurry();
        Ok(())
    }
}

async fn register(db: &Db, session: &mut ClientSession, destinations: &[Destination]) -> Result<()> {
    let state = sequence::state(db, session).await?;
    let mut updates = vec![doc! { "q": {}, "u": { "$set": { "active": false } }, "multi": true }];
    let mut lanes = Vec::new();
    for destination in destinations {
        let name = destination.name.as_str();
        let low = match destination.start_from {
            StartFrom::Beginning => 0,
            StartFrom::Now => state.newest,
        };
        updates.push(doc! {
            "q": { "_id": name },
            "u": {
                "$set": { "active": true, "patterns": destination.route.patterns() },
                "$setOnInsert": { "paused": false },
            },
            "upsert": true,
        });
        let lane = lane(name);
        let missing = doc! { &lane: { "$exists": false } };
        lanes.push(doc! { "q": missing, "u": { "$set": { &lane: new_lane(low, state.now) } }, "multi": true });
    }
    db.update_all("outbox_destinations", updates, Some(&mut *session)).await?;
    db.update_all("outbox_partitions", lanes, Some(&mut *session)).await?;
    Ok(())
}

/// Where a partition's document keeps the lane of a destination. A name with a dot or a dollar would be a path.
pub(super) fn lane(destination: &str) -> String {
    format!("lanes.{}", lane_name(destination))
}

pub(super) fn lane_name(destination: &str) -> String {
    destination.replace('%', "%25").replace('.', "%2E").replace('$', "%24")
}

/// Fails for a destination that was never registered; by `_id`.
pub(super) async fn known(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<Document> {
    let found = db.destinations.find_one(doc! { "_id": destination.as_str() }).session(session).await?;
    found.ok_or_else(|| error::unknown(destination))
}

/// As [`known`], on its own.
pub(super) async fn is_known(db: &Db, destination: &Name) -> Result<()> {
    snapshot!(db, session => known(db, &mut session, destination)).map(drop)
}
