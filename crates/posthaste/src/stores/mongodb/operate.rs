//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};

use super::codec;
use super::commit::parked_id;
use super::db::{Db, JOURNAL};
use super::list::{Match, Matches};
use super::session::{snapshot, transaction};
use super::standing::Standing;
use super::{MongoDb, date, read, register, sequence};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filter, Mode, Operation, OperationReport, Status};
use crate::journal::HeldKey;

impl MongoDb {
    pub(super) async fn operate_on(
        &self,
        operation: Operation,
        filter: &Filter,
        mode: Mode,
    ) -> Result<OperationReport> {
        self.sequence().await?;
        let db = self.db();
        match mode {
            Mode::DryRun => snapshot!(db, session => operate(db, &mut session, operation, filter, mode)),
            Mode::Apply => {
                let report = transaction!(db, session => operate(db, &mut session, operation, filter, mode))?;
                self.shared.feed.announce();
                Ok(report)
            }
        }
    }

    /// Returns whether that changed anything.
    pub(super) async fn set_paused(&self, destination: &Name, paused: bool) -> Result<bool> {
        register::is_known(self.db(), destination).await?;
        let other = doc! { "_id": destination.as_str(), "paused": { "$ne": paused } };
        let changed = self.db().destinations.update_one(other, doc! { "$set": { "paused": paused } }).await?;
        Ok(changed.matched_count == 1)
    }
}

/// Counts what an operation applies to and, with [`Mode::Apply`], does it.
async fn operate(
    db: &Db,
    session: &mut ClientSession,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let now = sequence::state(db, session).await?.now;
    let mut report = OperationReport::default();
    let mut matches = Matches::new(db, filter, 0, session).await?;
    while let Some(chunk) = matches.next_chunk(session).await? {
        let changes = plan(db, session, operation, &chunk, now, &mut report).await?;
        if mode == Mode::Apply {
            apply(db, session, changes).await?;
        }
    }
    if mode == Mode::Apply {
        // Relays elsewhere hear of it by the change stream.
        db.state.update_one(doc! { "_id": JOURNAL }, doc! { "$inc": { "wakes": 1i64 } }).session(session).await?;
    }
    Ok(report)
}

/// A message and what to write beside its lane.
struct Change {
    seq: i64,
    update: Document,
}

async fn plan(
    db: &Db,
    session: &mut ClientSession,
    operation: Operation,
    chunk: &[Match],
    now: i64,
    report: &mut OperationReport,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for one in chunk {
        let (Some(destination), Some(status)) = (&one.listed.destination, one.listed.status) else { continue };
        let Some(update) = change(operation, status, destination, one, now) else {
            report.not_applicable += 1;
            continue;
        };
        report.affected += 1;
        if operation == Operation::Replay && is_overtaken(db, session, destination, one).await? {
            report.overtaken += 1;
        }
        changes.push(Change { seq: one.row.seq, update });
    }
    Ok(changes)
}

/// The update that does the operation, or `None` where it does not apply.
fn change(operation: Operation, status: Status, destination: &str, one: &Match, now: i64) -> Option<Document> {
    let id = parked_id(one.row.seq, destination);
    let now = date(now);
    let set = |set: Document| Some(doc! { "q": { "_id": &id }, "u": { "$set": set } });
    match (operation, status) {
        (Operation::Replay, Status::Dead | Status::Retrying | Status::Discarded) => {
            set(doc! { "state": "retrying", "attempts": 0i64, "kills": 0i64, "error": Bson::Null, "dueAt": now })
        }
        (Operation::Replay, Status::Scheduled | Status::Throttled) => set(doc! { "dueAt": now }),
        (Operation::Replay, Status::Delivered) => {
            Some(doc! { "q": { "_id": &id }, "u": replayed(destination, one, now), "upsert": true })
        }
        (Operation::Discard, Status::Pending | Status::Delivered | Status::Waiting) => None,
        (Operation::Discard, Status::Discarding | Status::Discarded) => None,
        (Operation::Discard, _) => set(doc! { "state": "discarding", "dueAt": now }),
        (Operation::Replay, _) => None,
    }
}

/// Delivered once more, now, and holding nobody.
fn replayed(destination: &str, one: &Match, now: mongodb::bson::DateTime) -> Document {
    let key = one.row.message.order_key();
    doc! {
        "_id": parked_id(one.row.seq, destination),
        "seq": one.row.seq,
        "destination": destination,
        "partition": i64::from(one.row.partition.number()),
        "message": codec::uuid(one.row.message.id),
        "scope": key.map_or(Bson::Null, |key| codec::scope(destination, &key).into()),
        "state": "replay",
        "holds": false,
        "attempts": 0i64,
        "kills": 0i64,
        "dueAt": now,
        "worker": Bson::Null,
        "error": Bson::Null,
        "progress": Bson::Null,
    }
}

/// Also touches the messages: a purge that is about to remove one of them has a conflict, and keeps it.
async fn apply(db: &Db, session: &mut ClientSession, changes: Vec<Change>) -> Result<()> {
    let seqs: Vec<i64> = changes.iter().map(|change| change.seq).collect();
    if seqs.is_empty() {
        return Ok(());
    }
    db.update_all("outbox_parked", changes.into_iter().map(|change| change.update).collect(), Some(&mut *session))
        .await?;
    let messages = doc! { "posthaste.seq": { "$in": seqs } };
    let touch = doc! { "$set": { "posthaste.restamp": true }, "$inc": { "posthaste.operations": 1i64 } };
    db.events.update_many(messages, touch).session(session).await?;
    Ok(())
}

/// Whether a destination has a newer message of the same key already, by `outbox_key`.
async fn is_overtaken(db: &Db, session: &mut ClientSession, destination: &str, one: &Match) -> Result<bool> {
    let Some(key) = one.row.message.order_key() else { return Ok(false) };
    let (after, until) = (codec::position(one.row.seq), codec::position(i64::MAX));
    let mut newer = read::of_key(db, &HeldKey { key, after, until });
    newer.insert("posthaste.seq", doc! { "$gt": one.row.seq });
    let newer = read::rows(db, session, newer, Some(1_000), false).await?;
    let seqs: Vec<i64> = newer.iter().map(|row| row.seq).collect();
    let standing = Standing::load(db, session, Some(&seqs)).await?;
    let Some(place) = standing.place(destination) else { return Ok(false) };
    let is_delivered = |row: &codec::Row| {
        standing.takers(&row.message).any(|taker| taker == place) && standing.status(place, row) == Status::Delivered
    };
    Ok(newer.iter().any(is_delivered))
}
