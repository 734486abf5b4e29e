//! What lanes record.
//!
//! A cursor moves by one update of its partition's document, which also holds the lease: the update names the epoch, so the fence
//! and the write are one. This is the only write of a batch in which nothing failed. A lane with more to say does all of it
//! in a transaction that starts with that update (`recording`).

use std::collections::{BTreeMap, HashMap};

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::ReturnDocument;

use self::recording::Recording;
use super::codec::{self, lane, text};
use super::db::{Db, found};
use super::register::require_known;
use super::retry::in_transaction;
use super::state::State;
use super::{MongoDb, status_stamps};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{LaneCommit, Partition};

mod recording;

pub(super) async fn commit(store: &MongoDb, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    let db = store.db();
    let (plain, full): (Vec<_>, Vec<_>) = commits.iter().partition(|commit| commit.is_cursor_only());
    let mut refused = if plain.is_empty() { Vec::new() } else { move_cursors(db, &plain).await? };
    let mut recalled: BTreeMap<&Name, Vec<i64>> = BTreeMap::new();
    for commit in full {
        if !in_transaction!(db, session => record(store, &mut session, commit))? {
            require_known(db, &commit.destination).await?;
            refused.push(commit.partition);
        } else if commit.recall {
            recalled.entry(&commit.destination).or_default().push(i64::from(commit.partition.number()));
        }
    }
    for (destination, partitions) in recalled {
        recall(db, destination, partitions).await?;
    }
    refused.sort_unstable();
    refused.dedup();
    status_stamps::hurry(store);
    Ok(refused)
}

/// What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`. To look at something too early does no harm, so
/// this needs no fence.
async fn recall(db: &Db, destination: &Name, partitions: Vec<i64>) -> Result<()> {
    let waiting = doc! {
        "state": { "$in": ["paused", "replay"] },
        "destination": destination.as_str(),
        "partition": { "$in": partitions },
        "dueAt": { "$ne": Bson::Null },
    };
    let earlier = doc! { "$set": { "dueAt": { "$min": ["$dueAt", "$$NOW"] } } };
    db.parked.update_many(waiting, vec![earlier]).await?;
    Ok(())
}

/// Moves cursors and nothing else; the partitions whose lease is lost.
async fn move_cursors(db: &Db, commits: &[&LaneCommit]) -> Result<Vec<Partition>> {
    let updates: Vec<Document> =
        commits.iter().map(|commit| doc! { "q": fence(commit), "u": [cursor(commit)] }).collect();
    let wanted = updates.len() as u64;
    if db.update_all("outbox_partitions", updates, None).await? == wanted {
        return Ok(Vec::new());
    }
    // The server only counts. Whoever lost an epoch does not get it back, so who is refused can be told afterwards.
    let mut epochs = HashMap::new();
    let held = db.partitions.find(doc! { "worker": { "$ne": Bson::Null } }).projection(doc! { "epoch": 1 });
    for one in found(held.await?).await? {
        epochs.insert(codec::partition(&one, "_id")?, codec::decode_epoch(&one)?);
    }
    let mut refused = Vec::new();
    for commit in commits {
        require_known(db, &commit.destination).await?;
        if epochs.get(&commit.partition) != Some(&commit.epoch) {
            refused.push(commit.partition);
        }
    }
    Ok(refused)
}

/// The lane, while its lease is held under this epoch, even late.
fn fence(commit: &LaneCommit) -> Document {
    doc! {
        "_id": i64::from(commit.partition.number()),
        "epoch": codec::epoch(commit.epoch),
        "worker": { "$ne": Bson::Null },
        lane::path(commit.destination.as_str()): { "$exists": true },
    }
}

/// Moves the cursor, or leaves it where it is.
fn cursor(commit: &LaneCommit) -> Document {
    let lane = lane::path(commit.destination.as_str());
    let mut set = doc! { format!("{lane}.at"): "$$NOW", format!("{lane}.worker"): "$worker" };
    if let Some(to) = &commit.cursor {
        set.insert(format!("{lane}.low"), codec::seq(to.low));
        set.insert(format!("{lane}.done"), lane::encode_done(to));
    }
    doc! { "$set": set }
}

/// Everything a lane says, or nothing: `false` if its lease is lost, or there is no such lane.
async fn record(store: &MongoDb, session: &mut ClientSession, commit: &LaneCommit) -> Result<bool> {
    let db = store.db();
    let update = db.partitions.find_one_and_update(fence(commit), vec![cursor(commit)]);
    let update = update.projection(doc! { "worker": 1 }).return_document(ReturnDocument::After);
    let Some(held) = update.session(&mut *session).await? else { return Ok(false) };
    let now = State::load(db, session).await?.now;
    let recording = Recording { db, commit, worker: text(&held, "worker")?, now };
    recording.parked(session).await?;
    recording.held(session).await?;
    recording.attempts(session).await?;
    store.outbox().enqueue_each(session, &commit.letters).await?;
    Ok(true)
}
