//! The whole store at a glance.

use std::collections::HashMap;

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};

use super::codec::{self, date, moment, text};
use super::db::{Db, found_in};
use super::partitions::partitions;
use super::retry::in_snapshot;
use super::state::State;
use super::{MongoDb, oplog, sequencer, sources, workers};
use crate::error::Result;
use crate::inspect::{Figure, Overview, WorkerStatus};
use crate::rules::due::due_in;

mod counts;

pub(super) async fn overview(store: &MongoDb) -> Result<Overview> {
    let partitions = partitions(store).await?;
    sequencer::number_new(store).await?;
    let db = store.db();
    let seen: Result<Overview> = in_snapshot!(db, session => see(db, &mut session, partitions));
    let mut overview = seen?;
    let window = oplog::see(db).await.map(|oplog| oplog.window.as_secs_f64());
    overview.figures.extend(window.map(|value| Figure { name: "oplog_window_seconds", value }));
    Ok(overview)
}

async fn see(db: &Db, session: &mut ClientSession, partitions: u16) -> Result<Overview> {
    let state = State::load(db, session).await?;
    let held = held(db, session, state.now).await?;
    let placed = doc! { "posthaste.seq": { "$gt": 0i64 } };
    Ok(Overview {
        partitions,
        messages: db.events.count_documents(placed).session(&mut *session).await?,
        newest: codec::position(state.newest),
        destinations: counts::counts(db, session, state.now).await?,
        workers: all_workers(db, session, state.now, &held).await?,
        unheld_partitions: usize::from(partitions).saturating_sub(held.values().sum()),
        sources: sources::find(db, session, doc! {}).await?,
        figures: figures(db, session, state.now).await?,
    })
}

/// How long the oldest committed message has waited for its position. Nothing waits while a sequencer is at work.
async fn figures(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<Figure>> {
    let waiting = doc! { "posthaste.seq": Bson::Null };
    let oldest = db.events.find_one(waiting).projection(db.without_payload()).session(session).await?;
    let oldest = oldest.map(|document| codec::row(db, &document)).transpose()?;
    let delay = oldest.map_or(0.0, |row| due_in(now, row.message.occurred_at.as_millisecond()).as_secs_f64());
    Ok(vec![Figure { name: "sequencer_delay_seconds", value: delay }])
}

/// Partitions by who holds them.
async fn held(db: &Db, session: &mut ClientSession, now: i64) -> Result<HashMap<String, usize>> {
    let held = doc! { "worker": { "$ne": Bson::Null }, "expiresAt": { "$gt": date(now) } };
    let find = db.partitions.find(held).projection(doc! { "worker": 1 });
    let mut by_worker: HashMap<String, usize> = HashMap::new();
    for one in found_in(find.session(&mut *session).await?, session).await? {
        *by_worker.entry(text(&one, "worker")?).or_default() += 1;
    }
    Ok(by_worker)
}

async fn all_workers(
    db: &Db,
    session: &mut ClientSession,
    now: i64,
    held: &HashMap<String, usize>,
) -> Result<Vec<WorkerStatus>> {
    let find = db.workers.find(doc! {}).sort(doc! { "_id": 1 });
    let mut workers = Vec::new();
    for one in found_in(find.session(&mut *session).await?, session).await? {
        let worker = text(&one, "_id")?;
        workers.push(WorkerStatus {
            partitions: held.get(&worker).copied().unwrap_or_default(),
            worker,
            alive: moment(&one, "expiresAt").unwrap_or_default() > now,
            report: workers::report(&one),
        });
    }
    Ok(workers)
}
