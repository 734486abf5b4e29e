//! The whole store at a glance.

use std::collections::HashMap;

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};

use super::codec::{self, moment, text};
use super::db::Db;
use super::report::worker_report;
use super::session::snapshot;
use super::{MongoDb, census, oplog, sequence};
use crate::error::Result;
use crate::inspect::{Figure, Overview, WorkerStatus};

impl MongoDb {
    pub(super) async fn look_over(&self) -> Result<Overview> {
        let partitions = self.count_partitions().await?;
        self.sequence().await?;
        let db = self.db();
        let seen: Result<Overview> = snapshot!(db, session => overview(db, &mut session, partitions));
        let mut overview = seen?;
        let window = oplog::look(db).await.map(|oplog| oplog.window.as_secs_f64());
        overview.figures.extend(window.map(|value| Figure { name: "oplog_window_seconds", value }));
        Ok(overview)
    }
}

async fn overview(db: &Db, session: &mut ClientSession, partitions: u16) -> Result<Overview> {
    let state = sequence::state(db, session).await?;
    let held = held(db, session, state.now).await?;
    let placed = doc! { "posthaste.seq": { "$gt": 0i64 } };
    Ok(Overview {
        partitions,
        messages: db.events.count_documents(placed).session(&mut *session).await?,
        newest: codec::position(state.newest),
        destinations: census::take(db, session, state.now).await?,
        workers: workers(db, session, state.now, &held).await?,
        unheld_partitions: usize::from(partitions).saturating_sub(held.values().sum()),
        figures: figures(db, session, state.now).await?,
    })
}

/// How long the oldest committed message has waited for its place. Nothing waits while a sequencer is at work.
async fn figures(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<Figure>> {
    let waiting = doc! { "posthaste.seq": Bson::Null };
    let oldest = db.events.find_one(waiting).projection(db.without_payload()).session(session).await?;
    let oldest = oldest.map(|document| codec::row(db, &document)).transpose()?;
    let delay = oldest.map_or(0.0, |row| codec::until(now, row.message.occurred_at.as_millisecond()).as_secs_f64());
    Ok(vec![Figure { name: "sequencer_delay_seconds", value: delay }])
}

/// Partitions by who holds them.
async fn held(db: &Db, session: &mut ClientSession, now: i64) -> Result<HashMap<String, usize>> {
    let held = doc! { "worker": { "$ne": Bson::Null }, "expiresAt": { "$gt": super::date(now) } };
    let mut cursor = db.partitions.find(held).projection(doc! { "worker": 1 }).session(&mut *session).await?;
    let mut by_worker: HashMap<String, usize> = HashMap::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        *by_worker.entry(text(&one, "worker")?).or_default() += 1;
    }
    Ok(by_worker)
}

async fn workers(
    db: &Db,
    session: &mut ClientSession,
    now: i64,
    held: &HashMap<String, usize>,
) -> Result<Vec<WorkerStatus>> {
    let mut cursor = db.workers.find(doc! {}).sort(doc! { "_id": 1 }).session(&mut *session).await?;
    let mut workers = Vec::new();
    while let Some(one) = cursor.next(session).await.transpose()? {
        let worker = text(&one, "_id")?;
        workers.push(WorkerStatus {
            partitions: held.get(&worker).copied().unwrap_or_default(),
            worker,
            alive: moment(&one, "expiresAt").unwrap_or_default() > now,
            report: worker_report(&one),
        });
    }
    Ok(workers)
}
