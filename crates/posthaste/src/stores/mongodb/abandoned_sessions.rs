//! Ending the sessions that dead workers have left behind, and with them their transactions.
//!
//! What such a transaction has written stays locked, so whoever goes on with a dead worker's work ends its sessions first. A
//! worker that was only thought dead finds its transaction gone, which is as good as a conflict: it tries again.

use mongodb::bson::{Bson, Document, doc};

use super::MongoDb;
use super::db::{Db, found};
use crate::error::{Error, Result};

/// Sessions of one worker, at least one. To end a list of none would be to end all that the user has.
#[derive(Debug)]
pub(super) struct AbandonedSessions {
    worker: String,
    sessions: Vec<Document>,
}

impl AbandonedSessions {
    /// What a worker's document has on record, except this store's own sessions: a worker may have the name of one in a process
    /// before this one, and one store may act for several.
    pub(super) fn of(db: &Db, worker: &Document) -> Option<Self> {
        let sessions = worker.get_array("sessions").map(Vec::as_slice).unwrap_or_default();
        let sessions = sessions.iter().filter_map(Bson::as_document);
        let sessions: Vec<Document> = sessions.filter(|one| !db.session_register.has(one)).cloned().collect();
        let worker = worker.get_str("_id").ok()?.to_owned();
        (!sessions.is_empty()).then_some(Self { worker, sessions })
    }

    /// Ends them. Where that fails, the server ends the transactions in its own time.
    pub(super) async fn end(&self, db: &Db) {
        let ended = db.database.run_command(doc! { "killSessions": &self.sessions }).await.map_err(Error::from);
        // Whoever may not do that now will not be allowed to later.
        if ended.is_err_and(|error| error.is_temporary()) {
            return;
        }
        // Unless the worker has come back to life meanwhile.
        let dead = doc! { "_id": &self.worker, "sessions": &self.sessions, "$expr": is_over() };
        let _ = db.workers.update_one(dead, doc! { "$unset": { "sessions": "" } }).await;
    }
}

/// Ends the sessions of all dead workers, for someone who acts for no worker yet.
pub(super) async fn end_all(store: &MongoDb) -> Result<()> {
    let db = store.db();
    let dead = doc! { "sessions": { "$exists": true }, "$expr": is_over() };
    for worker in found(db.workers.find(dead).await?).await? {
        if let Some(abandoned) = AbandonedSessions::of(db, &worker) {
            abandoned.end(db).await;
        }
    }
    Ok(())
}

/// A worker has not been heard of in time, by the primary's clock.
fn is_over() -> Document {
    doc! { "$lte": ["$expiresAt", "$$NOW"] }
}
