//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use mongodb::ClientSession;
use mongodb::bson::{Bson, DateTime, Document, doc};

use super::codec::{self, date};
use super::db::Db;
use super::list::{CHUNK, Chunk, Match, Matches};
use super::progress::Progress;
use super::retry::{in_snapshot, in_transaction};
use super::state::{JOURNAL, State};
use super::{MongoDb, rows, sequencer};
use crate::error::Result;
use crate::inspect::{Filter, Job, Mode, Operation, OperationReport, Order, Status};
use crate::journal::Position;
use crate::rules::job::{Piece, is_part};
use crate::rules::operation::{Effect, effect};

pub(super) async fn operate(
    store: &MongoDb,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    sequencer::number_new(store).await?;
    let db = store.db();
    match mode {
        Mode::DryRun => in_snapshot!(db, session => run(db, &mut session, operation, filter, mode)),
        Mode::Apply => {
            let report = in_transaction!(db, session => run(db, &mut session, operation, filter, mode))?;
            store.shared.change_stream.feed().announce();
            Ok(report)
        }
    }
}

/// Counts what an operation applies to and, with [`Mode::Apply`], does it.
async fn run(
    db: &Db,
    session: &mut ClientSession,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let now = State::load(db, session).await?.now;
    let mut report = OperationReport::default();
    let mut matches = Matches::new(db, filter, Order::OldestFirst, 0, session).await?;
    while let Some(chunk) = matches.next_chunk(session).await? {
        let changes = plan(db, session, operation, chunk, now, &mut report).await?;
        if mode == Mode::Apply {
            apply(db, session, changes).await?;
        }
    }
    if mode == Mode::Apply {
        wake(db, session).await?;
    }
    Ok(report)
}

/// Relays elsewhere hear of it by the change stream.
pub(super) async fn wake(db: &Db, session: &mut ClientSession) -> Result<()> {
    db.state.update_one(doc! { "_id": JOURNAL }, doc! { "$inc": { "wakes": 1i64 } }).session(session).await?;
    Ok(())
}

/// Carries out the next piece of a job, and says up to where that was, unless it was the end. In the caller's transaction.
pub(super) async fn piece(
    db: &Db,
    session: &mut ClientSession,
    job: &Job,
    now: i64,
) -> Result<(OperationReport, Option<Position>)> {
    let (mut report, mut piece) = (OperationReport::default(), Piece::default());
    let mut matches = Matches::new(db, &job.filter, Order::OldestFirst, codec::seq(job.upto), session).await?;
    let mut upto = None;
    while piece.goes_on() {
        let found = matches.next_chunk(session).await?;
        upto = found.is_some().then(|| codec::position(matches.upto));
        let Some(mut chunk) = found else { break };
        chunk.matches.retain(|one| is_part(job, one.listed.position));
        piece.add(chunk.matches.len(), CHUNK as usize);
        let changes = plan(db, session, job.operation, chunk, now, &mut report).await?;
        apply(db, session, changes).await?;
    }
    wake(db, session).await?;
    Ok((report, upto))
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
    mut chunk: Chunk,
    now: i64,
    report: &mut OperationReport,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for one in &chunk.matches {
        let (Some(destination), Some(status)) = (&one.listed.destination, one.listed.status) else { continue };
        let Some(effect) = effect(operation, status) else {
            report.not_applicable += 1;
            continue;
        };
        report.affected += 1;
        if operation == Operation::Replay {
            report.overtaken += u64::from(is_overtaken(db, session, &mut chunk.progress, destination, one).await?);
        }
        changes.push(Change { seq: one.row.seq, update: change(effect, destination, one, date(now)) });
    }
    Ok(changes)
}

/// The update that has this effect on the parked delivery.
fn change(effect: Effect, destination: &str, one: &Match, now: DateTime) -> Document {
    let id = codec::parked_id(one.row.seq, destination);
    let set = match effect {
        Effect::Restart => {
            doc! { "state": "retrying", "attempts": 0i64, "kills": 0i64, "error": Bson::Null, "dueAt": now }
        }
        Effect::Hasten => doc! { "dueAt": now },
        Effect::Discard => doc! { "state": "discarding", "dueAt": now },
        Effect::Repeat => return doc! { "q": { "_id": id }, "u": replayed(destination, one, now), "upsert": true },
    };
    doc! { "q": { "_id": id }, "u": { "$set": set } }
}

/// Delivered once more, now, and holding nobody.
fn replayed(destination: &str, one: &Match, now: DateTime) -> Document {
    let key = one.row.message.order_key();
    doc! {
        "_id": codec::parked_id(one.row.seq, destination),
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

/// Whether a destination has a newer message of the same key already, by `outbox_key`. What is parked of the newer messages is
/// added to the progress; lanes and held keys are there already, and reading them once more for each message would take long.
async fn is_overtaken(
    db: &Db,
    session: &mut ClientSession,
    progress: &mut Progress,
    destination: &str,
    one: &Match,
) -> Result<bool> {
    let Some(key) = one.row.message.order_key() else { return Ok(false) };
    let mut newer = rows::of_key(db, &key);
    newer.insert("posthaste.seq", doc! { "$gt": one.row.seq });
    let newer = rows::of_a_key(db, session, newer, Some(1_000)).await?;
    if newer.is_empty() {
        return Ok(false);
    }
    progress.load_parked_of(db, session, &newer).await?;
    let Some(place) = progress.place(destination) else { return Ok(false) };
    let is_delivered = |row: &codec::Row| {
        progress.takers(&row.message).any(|taker| taker == place) && progress.status(place, row) == Status::Delivered
    };
    Ok(newer.iter().any(is_delivered))
}
