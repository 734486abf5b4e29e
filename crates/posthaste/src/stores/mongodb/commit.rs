//! What lanes record.
//!
//! A cursor moves by one update of its partition's document, which also holds the lease: the update names the epoch, so the fence
//! and the write are one. This is the only write of a batch in which nothing failed. A lane with more to say does all of it
//! in a transaction that starts with that update.

use std::collections::HashMap;

use mongodb::ClientSession;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, doc};
use mongodb::options::ReturnDocument;

use super::codec::{self, text, whole};
use super::db::Db;
use super::register::{is_known, lane};
use super::session::transaction;
use super::{MongoDb, date, lease, open, read, sequence};
use crate::error::Result;
use crate::journal::{HeldKey, LaneCommit, Park, ParkedState, Partition};

impl MongoDb {
    pub(super) async fn commit_lanes(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        let (plain, full): (Vec<_>, Vec<_>) = commits.iter().partition(|commit| commit.is_cursor_only());
        let mut refused = Vec::new();
        if !plain.is_empty() {
            self.move_cursors(&plain, &mut refused).await?;
        }
        let db = self.db();
        for commit in full {
            if !transaction!(db, session => record(db, &mut session, commit))? {
                is_known(db, &commit.destination).await?;
                refused.push(commit.partition);
            }
        }
        refused.sort_unstable();
        refused.dedup();
        self.stamps_due();
        Ok(refused)
    }

    async fn move_cursors(&self, commits: &[&LaneCommit], refused: &mut Vec<Partition>) -> Result<()> {
        let updates: Vec<Document> =
            commits.iter().map(|commit| doc! { "q": fence(commit), "u": [cursor(commit)] }).collect();
        let wanted = updates.len() as u64;
        if self.db().update_all("outbox_partitions", updates, None).await? == wanted {
            return Ok(());
        }
        // The server only counts. Whoever lost an epoch does not get it back, so who is refused can be told afterwards.
        let mut epochs = HashMap::new();
        let held = doc! { "worker": { "$ne": Bson::Null } };
        let mut found = self.db().partitions.find(held).projection(doc! { "epoch": 1 }).await?;
        while found.advance().await? {
            let one = Document::try_from(found.current()).map_err(mongodb::error::Error::from)?;
            epochs.insert(lease::partition(&one)?, whole(&one, "epoch")?);
        }
        for commit in commits {
            is_known(self.db(), &commit.destination).await?;
            if epochs.get(&commit.partition) != Some(&lease::epoch(commit.epoch.number())) {
                refused.push(commit.partition);
            }
        }
        Ok(())
    }
}

/// The lane, while its lease is held under this epoch, even late.
fn fence(commit: &LaneCommit) -> Document {
    doc! {
        "_id": i64::from(commit.partition.number()),
        "epoch": lease::epoch(commit.epoch.number()),
        "worker": { "$ne": Bson::Null },
        lane(commit.destination.as_str()): { "$exists": true },
    }
}

/// Moves the cursor, or leaves it where it is.
fn cursor(commit: &LaneCommit) -> Document {
    let lane = lane(commit.destination.as_str());
    let mut set = doc! { format!("{lane}.at"): "$$NOW", format!("{lane}.worker"): "$worker" };
    if let Some(to) = &commit.cursor {
        set.insert(format!("{lane}.low"), codec::seq(to.low));
        set.insert(format!("{lane}.done"), codec::encode_done(to));
    }
    doc! { "$set": set }
}

/// Everything a lane says, or nothing: `false` if its lease is lost, or there is no such lane.
async fn record(db: &Db, session: &mut ClientSession, commit: &LaneCommit) -> Result<bool> {
    let update = db.partitions.find_one_and_update(fence(commit), vec![cursor(commit)]);
    let update = update.projection(doc! { "worker": 1 }).return_document(ReturnDocument::After);
    let Some(held) = update.session(&mut *session).await? else { return Ok(false) };
    let now = sequence::state(db, session).await?.now;
    let recording = Recording { db, commit, worker: text(&held, "worker")?, now };
    recording.parked(session).await?;
    recording.held(session).await?;
    recording.attempts(session).await?;
    Ok(true)
}

/// One lane's commit on its way into the collections. Sets after it removes, so that a repeated commit changes nothing.
struct Recording<'a> {
    db: &'a Db,
    commit: &'a LaneCommit,
    worker: String,
    now: i64,
}

impl Recording<'_> {
    async fn parked(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        let unpark = self.commit.unpark.iter().map(|position| {
            doc! { "q": { "_id": parked_id(codec::seq(*position), destination) }, "limit": 1 }
        });
        self.db.delete_all("outbox_parked", unpark.collect(), session).await?;
        let let_go = self.commit.let_go.iter().map(|position| {
            let id = parked_id(codec::seq(*position), destination);
            let gone = doc! { "state": "discarded", "holds": false, "dueAt": Bson::Null };
            doc! { "q": { "_id": id, "state": "discarding" }, "u": { "$set": gone } }
        });
        self.db.update_all("outbox_parked", let_go.collect(), Some(&mut *session)).await?;
        let park = self.commit.park.iter().map(|park| {
            // What someone discarded stays so.
            let unwanted = doc! { "$in": ["$state", ["discarding", "discarded"]] };
            let unless = doc! { "$cond": [unwanted, "$$ROOT", { "$literal": self.park(park) }] };
            let id = parked_id(codec::seq(park.position), destination);
            doc! { "q": { "_id": id }, "u": [{ "$replaceWith": unless }], "upsert": true }
        });
        self.db.update_all("outbox_parked", park.collect(), Some(&mut *session)).await?;
        let touched = self.commit.park.iter().map(|park| &park.position);
        let touched = touched.chain(&self.commit.unpark).chain(&self.commit.let_go);
        let touched: Vec<i64> = touched.map(|position| codec::seq(*position)).collect();
        self.restamp(session, doc! { "posthaste.seq": { "$in": touched } }).await
    }

    fn park(&self, park: &Park) -> Document {
        let due_at = match park.state {
            ParkedState::Dead | ParkedState::Discarded => None,
            ParkedState::Discarding => Some(self.now),
            _ => park.due_in.map(|due_in| self.now.saturating_add(codec::millis(due_in))),
        };
        let destination = self.commit.destination.as_str();
        let progress = park.progress.clone().map(|bytes| Binary { subtype: BinarySubtype::Generic, bytes });
        doc! {
            "_id": parked_id(codec::seq(park.position), destination),
            "seq": codec::seq(park.position),
            "destination": destination,
            "partition": i64::from(self.commit.partition.number()),
            "message": codec::uuid(park.message),
            "scope": park.key.as_ref().map_or(Bson::Null, |key| codec::scope(destination, key).into()),
            "state": park.state.as_str(),
            "holds": park.holds,
            "attempts": i64::from(park.attempts),
            "kills": i64::from(park.kills),
            "dueAt": due_at.map_or(Bson::Null, |at| date(at).into()),
            "worker": &self.worker,
            "error": park.error.as_ref().map_or(Bson::Null, Bson::from),
            "progress": progress.map_or(Bson::Null, Bson::Binary),
        }
    }

    async fn held(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        for key in &self.commit.free {
            let before = self.db.held_keys.find_one_and_delete(doc! { "_id": codec::scope(destination, key) });
            self.passed(before.session(&mut *session).await?, None, session).await?;
        }
        for held in &self.commit.hold {
            let place = doc! {
                "_id": codec::scope(destination, &held.key),
                "destination": destination,
                "partition": i64::from(self.commit.partition.number()),
                "after": codec::seq(held.after),
                "until": codec::seq(held.until),
            };
            let replace =
                self.db.held_keys.find_one_and_replace(doc! { "_id": codec::scope(destination, &held.key) }, place);
            let before = replace.upsert(true).session(&mut *session).await?;
            self.passed(before, Some(held), session).await?;
        }
        Ok(())
    }

    /// A held key's messages that wait no longer get another stamp.
    async fn passed(&self, before: Option<Document>, now: Option<&HeldKey>, session: &mut ClientSession) -> Result<()> {
        let Some(before) = before else { return Ok(()) };
        let (_, before) = open::held_key(&before)?;
        let upto = now.map_or(before.until, |now| now.after);
        if upto <= before.after {
            return Ok(());
        }
        let mut messages = read::of_key(self.db, &before);
        messages.insert("posthaste.seq", doc! { "$gt": codec::seq(before.after), "$lte": codec::seq(upto) });
        self.restamp(session, messages).await
    }

    async fn restamp(&self, session: &mut ClientSession, messages: Document) -> Result<()> {
        if self.db.options.stamp_status {
            let stale = doc! { "$set": { "posthaste.restamp": true } };
            self.db.events.update_many(messages, stale).session(session).await?;
        }
        Ok(())
    }

    async fn attempts(&self, session: &mut ClientSession) -> Result<()> {
        let destination = self.commit.destination.as_str();
        let attempts = self.commit.attempts.iter().map(|attempt| {
            let seq = codec::seq(attempt.position);
            let id = doc! { "s": seq, "d": destination, "n": i64::from(attempt.number) };
            let tried = doc! {
                "_id": &id,
                "seq": seq,
                "destination": destination,
                "number": i64::from(attempt.number),
                "at": date(self.now),
                "tookMs": codec::millis(attempt.took),
                "worker": &self.worker,
                "error": attempt.error.as_ref().map_or(Bson::Null, Bson::from),
            };
            doc! { "q": { "_id": id }, "u": tried, "upsert": true }
        });
        self.db.update_all("outbox_attempts", attempts.collect(), Some(session)).await?;
        Ok(())
    }
}

/// One delivery set aside.
pub(super) fn parked_id(seq: i64, destination: &str) -> Document {
    doc! { "s": seq, "d": destination }
}
