//! Which server sessions a worker writes with.
//!
//! To MongoDB a transaction does not end with its connection: what it wrote stays locked until someone ends it, which the server
//! does a minute later. So a worker puts each session on record, in its document of `outbox_workers`, before it writes with it in
//! a transaction, and whoever finds the worker's time over ends its sessions (`abandoned_sessions`). The driver uses sessions again
//! and again, so there are few of them, and a new one is rare.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::bson::{Document, doc};
use tokio::sync::{Mutex as Turn, MutexGuard as Turned, OwnedRwLockReadGuard, RwLock};
use tokio::time::timeout;

use super::db::Db;
use super::retry::again;
use crate::error::Result;
use crate::journal::WorkerId;

/// Sessions on record; more than a worker ever has transactions open at once.
const MOST: usize = 64;

/// How long a worker that leaves waits for its own transactions.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// The sessions that one store writes with, and what is on record of them.
#[derive(Debug, Default)]
pub(super) struct SessionRegister {
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

impl SessionRegister {
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

    /// Whether a session is one of this store's own.
    pub(super) fn has(&self, session: &Document) -> bool {
        self.record().used.iter().any(|used| used.session == *session)
    }

    /// Acts for no worker from now on, and waits for a while until no transaction is open; whether that came true.
    pub(super) async fn close(&self) -> bool {
        self.record().worker = None;
        timeout(LAST_WAIT, self.open.write()).await.is_ok()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
