//! Which server sessions a worker writes with, and the end of those that the dead have left behind.
//!
//! To MongoDB a transaction does not end with its connection: what it wrote stays locked until someone ends it, which the server
//! does a minute later. So a worker puts each session on record, in its document of `outbox_workers`, before it writes with it in
//! a transaction, and whoever finds the worker's time over ends its sessions before it goes on with its work. The driver uses
//! sessions again and again, so there are few of them, and a new one is rare. A worker that was only thought dead finds its
//! transaction gone, which is as good as a conflict: it tries again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::bson::{Bson, Document, doc};
use tokio::sync::{Mutex as Turn, MutexGuard as Turned, OwnedRwLockReadGuard, RwLock};
use tokio::time::timeout;

use super::MongoDb;
use super::db::Db;
use super::session::again;
use crate::error::{Error, Result};
use crate::journal::WorkerId;

/// Sessions on record; more than a worker ever has transactions open at once.
const MOST: usize = 64;

/// How long a worker that leaves waits for its own transactions.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// The sessions of one store.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    record: Mutex<Record>,
    /// Those who write the record take turns, so that a longer list is not replaced by an older one.
    turn: Turn<()>,
    /// Shared by all transactions that are open.
    open: Arc<RwLock<()>>,
}

#[derive(Debug, Default)]
struct Record {
    /// Under whose name the sessions are on record; nobody's in a store that does not act for a worker.
    worker: Option<String>,
    /// The last used first.
    used: Vec<Used>,
}

#[derive(Debug)]
struct Used {
    session: Document,
    is_on_record: bool,
}

/// What a worker has left behind: some sessions. To end a list of none would be to end all that the user has.
#[derive(Debug)]
pub(super) struct LeftBehind {
    worker: String,
    sessions: Vec<Document>,
}

impl Sessions {
    /// Puts a session on record, if it is not, for a transaction that is to begin. It is open for as long as the answer lives.
    pub(super) async fn enroll(&self, db: &Db, session: &Document) -> Result<OwnedRwLockReadGuard<()>> {
        let open = Arc::clone(&self.open).read_owned().await;
        if !self.is_on_record(session) {
            let (turn, sessions) = self.list().await;
            let worker = self.record().worker.clone();
            if let Some(worker) = worker {
                let (of, put) = (doc! { "_id": &worker }, doc! { "$set": { "sessions": &sessions } });
                again!(async { Ok(db.workers.update_one(of.clone(), put.clone()).await?) })?;
                self.are_on_record(turn, &worker, &sessions);
            }
        }
        Ok(open)
    }

    /// Takes note of a session. Nothing has to be on record in a store that acts for nobody.
    fn is_on_record(&self, session: &Document) -> bool {
        let mut record = self.record();
        let known = record.used.iter().position(|used| used.session == *session);
        let used = known.map(|place| record.used.remove(place));
        let used = used.unwrap_or_else(|| Used { session: session.clone(), is_on_record: false });
        let is_on_record = used.is_on_record || record.worker.is_none();
        record.used.insert(0, used);
        record.used.truncate(MOST);
        is_on_record
    }

    /// All sessions, to be written as a whole while the turn lasts.
    pub(super) async fn list(&self) -> (Turned<'_, ()>, Vec<Document>) {
        let turn = self.turn.lock().await;
        let sessions = self.record().used.iter().map(|used| used.session.clone()).collect();
        (turn, sessions)
    }

    /// The worker was announced with these.
    pub(super) fn are_announced(&self, turn: Turned<'_, ()>, worker: &WorkerId, sessions: &[Document]) {
        self.record().worker = Some(worker.0.clone());
        self.are_on_record(turn, &worker.0, sessions);
    }

    /// These are written under this name, which may have left meanwhile.
    fn are_on_record(&self, turn: Turned<'_, ()>, worker: &str, sessions: &[Document]) {
        let mut record = self.record();
        let is_current = record.worker.as_deref() == Some(worker);
        for used in &mut record.used {
            used.is_on_record = is_current && sessions.contains(&used.session);
        }
        drop((record, turn));
    }

    pub(super) fn are_of(&self, worker: &WorkerId) -> bool {
        self.record().worker.as_ref() == Some(&worker.0)
    }

    /// What a worker has on record, except this store's own: a worker may have the name of one in a process before this one, and one
    /// store may act for several.
    pub(super) fn left_behind_by(&self, worker: &Document) -> Option<LeftBehind> {
        let record = self.record();
        let sessions = worker.get_array("sessions").map(Vec::as_slice).unwrap_or_default();
        let is_ours = |one: &Document| record.used.iter().any(|used| used.session == *one);
        let sessions: Vec<Document> =
            sessions.iter().filter_map(Bson::as_document).filter(|one| !is_ours(one)).cloned().collect();
        let worker = worker.get_str("_id").ok()?.to_owned();
        (!sessions.is_empty()).then_some(LeftBehind { worker, sessions })
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MongoDb {
    /// Takes a worker off the list of the living, when its transactions are over: the process may end at any moment from then on. One
    /// that takes too long is ended by the others.
    pub(super) async fn leave(&self, worker: &WorkerId) -> Result<()> {
        let sessions = &self.db().sessions;
        sessions.record().worker = None;
        let of = doc! { "_id": &worker.0 };
        if timeout(LAST_WAIT, sessions.open.write()).await.is_ok() {
            self.db().workers.delete_one(of).await?;
        } else {
            self.db().workers.update_one(of, doc! { "$set": { "expiresAt": super::date(0) } }).await?;
        }
        Ok(())
    }

    /// Ends what the dead have left behind, for someone who acts for no worker yet.
    pub(super) async fn end_the_dead(&self) -> Result<()> {
        let dead = doc! { "sessions": { "$exists": true }, "$expr": is_over() };
        let mut found = self.db().workers.find(dead).await?;
        let mut left_behind = Vec::new();
        while found.advance().await? {
            let one = Document::try_from(found.current()).map_err(mongodb::error::Error::from)?;
            left_behind.extend(self.db().sessions.left_behind_by(&one));
        }
        self.end_sessions(&left_behind).await;
        Ok(())
    }

    /// Ends sessions, and the transactions in them. Where that fails, the server ends the transactions in its own time.
    pub(super) async fn end_sessions(&self, left_behind: &[LeftBehind]) {
        let db = self.db();
        for LeftBehind { worker, sessions } in left_behind {
            let ended = db.database.run_command(doc! { "killSessions": sessions }).await.map_err(Error::from);
            // Whoever may not do that now will not be allowed to later.
            if ended.is_err_and(|error| error.is_temporary()) {
                continue;
            }
            // Unless it has come back to life meanwhile.
            let dead = doc! { "_id": worker, "sessions": sessions, "$expr": is_over() };
            let _ = db.workers.update_one(dead, doc! { "$unset": { "sessions": "" } }).await;
        }
    }
}

/// A worker has not been heard of in time, by the primary's clock.
fn is_over() -> Document {
    doc! { "$lte": ["$expiresAt", "$$NOW"] }
}
