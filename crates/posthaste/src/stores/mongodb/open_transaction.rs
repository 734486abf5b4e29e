//! A transaction of the store's own, and what becomes of it when nobody sees it to its end.
//!
//! A future may be dropped at any point: a call that took too long, a worker that stops. And a commit may not get through. The
//! driver then sends a rollback some time later, or nothing at all; meanwhile what was written stays locked, and the process may
//! be gone before that. So whoever gives up a transaction leaves it to a task that makes sure of its end, and the worker does not
//! leave before the task is done.
//!
//! A rollback does not make sure, nor does `killSessions`: what was sent before may arrive after it, by another connection, and
//! begin the transaction anew. A later number of the same session does: the server rolls back what came before it, and takes no more
//! of that. Writes outside of transactions are numbered, too, so that they can be repeated, and one is enough that changes nothing.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::{Bson, doc};
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockReadGuard;
use tokio::time::{Instant, sleep};

use super::db::Db;
use crate::error::Error;

/// The server does the same after as long, unless it is told otherwise.
const PATIENCE: Duration = Duration::from_mins(1);

const PAUSE: Duration = Duration::from_millis(250);

/// Dropping it ends it, soon.
pub(super) struct Open {
    db: Db,
    /// There until it is over.
    held: Option<Held>,
}

struct Held {
    session: ClientSession,
    _open: OwnedRwLockReadGuard<()>,
}

impl Open {
    pub(super) fn new(db: &Db, session: ClientSession, open: OwnedRwLockReadGuard<()>) -> Self {
        Self { db: db.clone(), held: Some(Held { session, _open: open }) }
    }

    /// The server has nothing open any more.
    pub(super) fn over(mut self) {
        self.held = None;
    }
}

impl Deref for Open {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.held.as_ref().expect("it is not over").session
    }
}

impl DerefMut for Open {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.held.as_mut().expect("it is not over").session
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let (Some(held), Ok(runtime)) = (self.held.take(), Handle::try_current()) {
            runtime.spawn(end(self.db.clone(), held));
        }
    }
}

async fn end(db: Db, mut held: Held) {
    let until = Instant::now() + PATIENCE;
    // Mostly this is all there is to do, but the driver does not say whether it got through.
    let _ = held.session.abort_transaction().await;
    let nothing = (doc! { "_id": Bson::Null }, doc! { "$unset": { "sessions": "" } });
    loop {
        let (none, change) = nothing.clone();
        let numbered = db.workers.update_one(none, change).session(&mut held.session).await.map_err(Error::from);
        if !numbered.is_err_and(|error| error.is_temporary()) || Instant::now() >= until {
            return;
        }
        sleep(PAUSE).await;
    }
}
