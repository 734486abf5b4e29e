//! The list of the living: a document of `outbox_workers` for each worker.

use std::time::Duration;

use mongodb::bson::{Document, doc};

use super::codec::{date, millis};
use super::db::Db;
use super::retry::again;
use crate::error::{Error, Kind, Result};
use crate::journal::{WorkerId, WorkerReport};
use crate::stores::values::worker_report;

/// The worker is alive until then, and this is what it reports and writes with; by `_id`.
pub(super) async fn announce(db: &Db, worker: &WorkerId, ttl: Duration, report: Option<&WorkerReport>) -> Result<()> {
    let mut set = doc! { "expiresAt": { "$add": ["$$NOW", millis(ttl)] } };
    if let Some(report) = report {
        let report = serde_json::to_string(report)
            .map_err(|error| Error::new(Kind::Invalid, "the report cannot be written as JSON").caused_by(error))?;
        set.insert("report", doc! { "$literal": report });
    }
    let (turn, sessions) = db.session_register.list().await;
    set.insert("sessions", doc! { "$literal": &sessions });
    let (of, set) = (doc! { "_id": &worker.0 }, vec![doc! { "$set": set }]);
    again!(async { Ok(db.workers.update_one(of.clone(), set.clone()).upsert(true).await?) })?;
    db.session_register.are_announced(turn, worker, &sessions);
    Ok(())
}

/// Takes a worker off the list, when its transactions are over: the process may end at any moment from then on. One that takes too
/// long is ended by the others.
pub(super) async fn leave(db: &Db, worker: &WorkerId) -> Result<()> {
    let of = doc! { "_id": &worker.0 };
    if db.session_register.close().await {
        db.workers.delete_one(of).await?;
    } else {
        db.workers.update_one(of, doc! { "$set": { "expiresAt": date(0) } }).await?;
    }
    Ok(())
}

/// What a worker reported.
pub(super) fn report(worker: &Document) -> Option<WorkerReport> {
    worker_report(worker.get_str("report").ok())
}
