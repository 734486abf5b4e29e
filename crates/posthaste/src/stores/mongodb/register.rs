//! Making destinations known.

use mongodb::ClientSession;
use mongodb::bson::{Document, doc};

use super::codec::lane;
use super::db::Db;
use super::partitions::partitions;
use super::retry::{in_snapshot, in_transaction};
use super::state::State;
use super::{MongoDb, sequencer, status_stamps};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::{Error, Result};

pub(super) async fn register(store: &MongoDb, destinations: &[Destination]) -> Result<()> {
    partitions(store).await?;
    if destinations.iter().any(|destination| destination.start_from == StartFrom::Now) {
        // What is committed already is not from now on, numbered or not.
        sequencer::number_all(store).await?;
    }
    let db = store.db();
    in_transaction!(db, session => record(db, &mut session, destinations))?;
    status_stamps::hurry(store);
    Ok(())
}

async fn record(db: &Db, session: &mut ClientSession, destinations: &[Destination]) -> Result<()> {
    let state = State::load(db, session).await?;
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
        let lane = lane::path(name);
        let missing = doc! { &lane: { "$exists": false } };
        lanes.push(doc! { "q": missing, "u": { "$set": { &lane: lane::new(low, state.now) } }, "multi": true });
    }
    db.update_all("outbox_destinations", updates, Some(&mut *session)).await?;
    db.update_all("outbox_partitions", lanes, Some(&mut *session)).await?;
    Ok(())
}

/// Fails for a destination that was never registered; by `_id`.
pub(super) async fn known(db: &Db, session: &mut ClientSession, destination: &Name) -> Result<Document> {
    let found = db.destinations.find_one(doc! { "_id": destination.as_str() }).session(session).await?;
    found.ok_or_else(|| Error::unknown_destination(destination))
}

/// Fails for a destination that was never registered, in a snapshot of its own.
pub(super) async fn require_known(db: &Db, destination: &Name) -> Result<()> {
    in_snapshot!(db, session => known(db, &mut session, destination)).map(drop)
}
