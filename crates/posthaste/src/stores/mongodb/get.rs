//! Everything about one message.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, Document, doc};
use tokio::time::Instant;

use super::codec::{self, Row, count, id, moment, text, whole};
use super::db::{Db, found_in};
use super::progress::{Of, Progress};
use super::retry::in_snapshot;
use super::rows::Rows;
use super::state::State;
use super::{MongoDb, sequencer, workers};
use crate::error::Result;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status};
use crate::message::MessageId;
use crate::rules::suspicion::Suspicion;
use crate::rules::tenant::pause_of;

/// How long a message that another sequencer is about to number is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) async fn get(store: &MongoDb, id: MessageId) -> Result<Option<Report>> {
    let db = store.db();
    let deadline = Instant::now() + LONGEST_WAIT;
    loop {
        sequencer::number_new(store).await?;
        let report = in_snapshot!(db, session => report(db, &mut session, id))?;
        // A message that is there without a position has lost its turn to another sequencer, which numbers it soon.
        if report.is_some() || Instant::now() >= deadline || !is_there(db, id).await? {
            return Ok(report);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

pub(super) fn by_id(id: MessageId) -> Document {
    doc! { "$or": [{ "_id": { "$in": id::candidates(id.0) } }, { "posthaste.id": codec::uuid(id) }] }
}

/// Whether the message is committed, with a position or without: it may have got one since the report was made.
async fn is_there(db: &Db, id: MessageId) -> Result<bool> {
    Ok(db.events.find_one(by_id(id)).projection(doc! { "_id": 1 }).await?.is_some())
}

async fn report(db: &Db, session: &mut ClientSession, id: MessageId) -> Result<Option<Report>> {
    let Some(row) = find(db, session, id).await? else { return Ok(None) };
    let progress = Progress::load(db, session, Of::These(std::slice::from_ref(&row))).await?;
    let mut deliveries = Vec::new();
    for place in progress.takers(&row.message) {
        deliveries.push(delivery(db, session, &progress, place, &row).await?);
    }
    let lease = lease(db, session, &row).await?;
    Ok(Some(Report {
        position: codec::position(row.seq),
        partition: row.partition,
        message: row.message,
        deliveries,
        lease,
    }))
}

/// The message, if it has a position. That is not part of the question: the server might walk the journal for it.
async fn find(db: &Db, session: &mut ClientSession, id: MessageId) -> Result<Option<Row>> {
    let mut rows = Rows::unordered(db, by_id(id), session).await?;
    while let Some(row) = rows.next(session).await? {
        if row.seq > 0 {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

async fn delivery(
    db: &Db,
    session: &mut ClientSession,
    progress: &Progress,
    place: usize,
    row: &Row,
) -> Result<DeliveryReport> {
    let destination = &progress.destinations[place];
    let status = progress.status(place, row);
    let parked = progress.parked(place, row.seq);
    let behind = match status {
        Status::Waiting => Some(behind(db, session, destination.name.as_str(), row).await?),
        _ => None,
    };
    let ahead = match status {
        Status::Pending => Some(ahead(db, session, progress, place, row).await?),
        _ => None,
    };
    Ok(DeliveryReport {
        destination: destination.name.to_string(),
        status,
        attempts: parked.map_or(0, |parked| parked.attempts),
        deaths: parked.map_or(0, |parked| Suspicion::stored(parked.suspicion).deaths_alone()),
        error: parked.and_then(|parked| parked.error.clone()),
        due_at: progress.due_at(place, row),
        paused: destination.paused,
        paused_tenant: pause_of(&destination.paused_tenants, row.message.tenant.as_deref()).cloned(),
        behind,
        ahead,
        timeline: timeline(db, session, destination.name.as_str(), row.seq).await?,
    })
}

/// The parked delivery at the head of a held key, by `outbox_parked_scope`.
async fn behind(db: &Db, session: &mut ClientSession, destination: &str, row: &Row) -> Result<Behind> {
    let nothing = Behind { id: None, status: None, error: None, due_at: None };
    let Some(key) = row.message.order_key() else { return Ok(nothing) };
    let head = doc! { "scope": codec::scope(destination, &key), "holds": true };
    let Some(head) = db.parked.find_one(head).sort(doc! { "seq": 1 }).session(session).await? else {
        return Ok(nothing);
    };
    Ok(Behind {
        id: head.get("message").and_then(id::decode).map(MessageId),
        status: Some(codec::parked_state(&head)?.into()),
        error: head.get_str("error").ok().map(str::to_owned),
        due_at: moment(&head, "dueAt").map(codec::timestamp),
    })
}

/// How many messages a lane comes to before this one: counted by `outbox_journal` alone, without a look at the messages.
async fn ahead(db: &Db, session: &mut ClientSession, progress: &Progress, place: usize, row: &Row) -> Result<u64> {
    let cursor = progress.cursor(place, row.partition).cloned().unwrap_or_default();
    let done: Vec<i64> = cursor.done.iter().map(|done| codec::seq(*done)).collect();
    let before = doc! {
        "posthaste.seq": { "$gt": codec::seq(cursor.low), "$lt": row.seq, "$nin": done },
        "posthaste.partition": i64::from(row.partition.number()),
    };
    Ok(db.events.count_documents(before).session(session).await?)
}

/// By time, because a replay counts its attempts from one again; by `outbox_attempts_seq`.
async fn timeline(db: &Db, session: &mut ClientSession, destination: &str, seq: i64) -> Result<Vec<AttemptReport>> {
    let find = db.attempts.find(doc! { "seq": seq, "destination": destination }).sort(doc! { "at": 1, "number": 1 });
    let mut timeline = Vec::new();
    for one in found_in(find.session(&mut *session).await?, session).await? {
        timeline.push(AttemptReport {
            number: count(&one, "number")?,
            at: codec::timestamp(moment(&one, "at").unwrap_or_default()),
            took_ms: codec::unsigned(whole(&one, "tookMs")?),
            error: one.get_str("error").ok().map(str::to_owned),
            reply: one.get_str("reply").ok().map(str::to_owned),
            worker: text(&one, "worker")?,
        });
    }
    Ok(timeline)
}

/// Who holds the partition, and what they say about themselves; both by `_id`.
async fn lease(db: &Db, session: &mut ClientSession, row: &Row) -> Result<Option<LeaseReport>> {
    let now = State::load(db, session).await?.now;
    let held = doc! { "_id": i64::from(row.partition.number()), "worker": { "$ne": Bson::Null } };
    let only = doc! { "worker": 1, "epoch": 1, "expiresAt": 1 };
    let Some(held) = db.partitions.find_one(held).projection(only).session(&mut *session).await? else {
        return Ok(None);
    };
    let worker = text(&held, "worker")?;
    let said = db.workers.find_one(doc! { "_id": &worker }).session(session).await?;
    Ok(Some(LeaseReport {
        partition: row.partition,
        worker,
        epoch: codec::decode_epoch(&held)?,
        expired: moment(&held, "expiresAt").unwrap_or_default() <= now,
        report: said.as_ref().and_then(workers::report),
    }))
}
