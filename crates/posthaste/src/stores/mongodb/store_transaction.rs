//! A transaction of the store's own, and what becomes of it when nobody sees it to its end.
//!
//! A future may be dropped at any point: a call that took too long, a worker that stops. And a commit may not get through. The
//! driver then sends a rollback some time later, or nothing at all; meanwhile what was written stays locked, and the process may
//! be gone before that. So whoever gives up a transaction leaves it to a task that makes sure of its end, and the worker does not
//! leave before the task is done.
//!
//! Neither a rollback nor `killSessions` makes sure: what was sent before may arrive after it, by another connection, and begin
//! the transaction anew. A later number of the same session makes sure: the server rolls back what came before it, and takes no
//! more of that. Writes outside of transactions are numbered, too, so that they can be repeated, and one that changes nothing is
//! enough.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use mongodb::bson::{Bson, doc};
use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};
use mongodb::{Client, ClientSession};
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockReadGuard;
use tokio::time::{Instant, sleep};

use super::db::Db;
use super::error::{self, Failure};
use crate::error::{Error, Result};

/// For how long a commit of which nobody knows whether it happened is asked about.
const COMMIT_PATIENCE: Duration = Duration::from_secs(15);

const COMMIT_PAUSE: Duration = Duration::from_millis(100);

/// For how long the end of a transaction is made sure of. The server ends it by itself after as long, unless it is told otherwise.
const END_PATIENCE: Duration = Duration::from_mins(1);

const END_PAUSE: Duration = Duration::from_millis(250);

/// A transaction of the store's own. Dropping it ends it, soon.
pub(super) struct StoreTransaction {
    db: Db,
    /// There until it is over.
    held: Option<Held>,
}

struct Held {
    session: ClientSession,
    _open: OwnedRwLockReadGuard<()>,
}

impl StoreTransaction {
    /// Begins one, after its session was put on record.
    pub(super) async fn begin(db: &Db) -> Result<Self> {
        let session = start(db.database.client()).await?;
        let open = db.session_register.enroll(db, session.id()).await?;
        Ok(Self { db: db.clone(), held: Some(Held { session, _open: open }) })
    }

    /// Commits what went well, and rolls back what did not.
    pub(super) async fn end<T>(mut self, outcome: Result<T>) -> Result<T> {
        let ended = match outcome {
            Ok(done) => commit(&mut self).await.map(|()| done),
            Err(error) => {
                // The error at hand is the one that matters.
                let _ = self.abort_transaction().await;
                Err(error)
            }
        };
        let is_over = match &ended {
            Ok(_) => true,
            Err(error) => error::failure_of(error).is_some_and(Failure::ends_a_transaction),
        };
        if is_over {
            // The server has nothing open any more, so there is no end to make sure of.
            self.held = None;
        }
        ended
    }
}

/// A session with a transaction open, which is not on record: an application ends its transactions itself.
pub(super) async fn start(client: &Client) -> Result<ClientSession> {
    let mut session = client.start_session().await?;
    // A snapshot that is not known to a majority yet becomes so before the commit, which comes later, is acknowledged.
    session
        .start_transaction()
        .read_concern(ReadConcern::snapshot())
        .write_concern(WriteConcern::majority())
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .await?;
    Ok(session)
}

/// The driver asks once more when it does not know whether a commit happened, and this asks on for a while: the answer is the
/// same however often one asks.
pub(super) async fn commit(session: &mut ClientSession) -> Result<()> {
    let until = Instant::now() + COMMIT_PATIENCE;
    loop {
        let error = match session.commit_transaction().await {
            Ok(()) => return Ok(()),
            Err(error) => Error::from(error),
        };
        let is_unknown = error::failure_of(&error).is_some_and(Failure::leaves_a_commit_unknown);
        if !is_unknown || Instant::now() >= until {
            return Err(error);
        }
        sleep(COMMIT_PAUSE).await;
    }
}

impl Deref for StoreTransaction {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.held.as_ref().expect("it is not over").session
    }
}

impl DerefMut for StoreTransaction {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.held.as_mut().expect("it is not over").session
    }
}

impl Drop for StoreTransaction {
    fn drop(&mut self) {
        if let (Some(held), Ok(runtime)) = (self.held.take(), Handle::try_current()) {
            runtime.spawn(make_sure_of_the_end(self.db.clone(), held));
        }
    }
}

async fn make_sure_of_the_end(db: Db, mut held: Held) {
    let until = Instant::now() + END_PATIENCE;
    // Mostly this is all there is to do, but the driver does not say whether it got through.
    let _ = held.session.abort_transaction().await;
    let nothing = (doc! { "_id": Bson::Null }, doc! { "$unset": { "sessions": "" } });
    loop {
        let (none, change) = nothing.clone();
        let numbered = db.workers.update_one(none, change).session(&mut held.session).await.map_err(Error::from);
        if !numbered.is_err_and(|error| error.is_temporary()) || Instant::now() >= until {
            return;
        }
        sleep(END_PAUSE).await;
    }
}
