//! Reading from one snapshot, and writing in one transaction that is tried again when it may be.

use std::time::Duration;

use mongodb::ClientSession;
use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};
use tokio::time::{Instant, sleep};

use super::db::Db;
use super::error;
use super::open_transaction::Open;
use crate::error::{Error, Result};

/// A snapshot that is not there: right after an election, a start, or a change of indexes. Soon there is a newer one.
const SNAPSHOT_UNAVAILABLE: [i32; 2] = [239, 246];

/// How long something that may be tried again is.
const PATIENCE: Duration = Duration::from_secs(15);

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Runs an expression that reads with a session, all from one snapshot of what a majority of the set has.
macro_rules! snapshot {
    ($db:expr, $session:ident => $work:expr) => {{
        let mut tries = $crate::stores::mongodb::session::Tries::new();
        loop {
            let mut $session = $crate::stores::mongodb::session::look($db).await?;
            let outcome = tokio::time::timeout($db.options.call_timeout, $work).await;
            let outcome = outcome.unwrap_or_else(|_| Err($crate::stores::mongodb::error::too_slow()));
            match outcome {
                Err(error) if tries.may_read_again(&error).await => {}
                outcome => break outcome,
            }
        }
    }};
}

/// Runs an expression without a session of its own that is as good twice as once: again, if someone ends the session that the driver
/// has found for it.
macro_rules! again {
    ($work:expr) => {{
        let mut tries = $crate::stores::mongodb::session::Tries::new();
        loop {
            match $work.await {
                Err(error) if tries.may_read_again(&error).await => {}
                outcome => break outcome,
            }
        }
    }};
}

/// Runs an expression that writes with a session, in one transaction: all of it or none, known to a majority of the set.
macro_rules! transaction {
    ($db:expr, $session:ident => $work:expr) => {{
        let mut tries = $crate::stores::mongodb::session::Tries::new();
        loop {
            let mut $session = $crate::stores::mongodb::session::begin($db).await?;
            let outcome = tokio::time::timeout($db.options.call_timeout, $work).await;
            let outcome = outcome.unwrap_or_else(|_| Err($crate::stores::mongodb::error::too_slow()));
            match $crate::stores::mongodb::session::end($session, outcome).await {
                Err(error) if tries.may_write_again(&error).await => {}
                outcome => break outcome,
            }
        }
    }};
}

pub(super) use {again, snapshot, transaction};

/// How often something was tried already.
pub(super) struct Tries {
    until: Instant,
    pause: Duration,
}

impl Tries {
    pub(super) fn new() -> Self {
        Self { until: Instant::now() + PATIENCE, pause: FIRST_PAUSE }
    }

    pub(super) async fn may_read_again(&mut self, error: &Error) -> bool {
        let code = error::failure_of(error).and_then(|failure| failure.code);
        let again = |code| SNAPSHOT_UNAVAILABLE.contains(&code) || error::KILLED.contains(&code);
        code.is_some_and(again) && self.wait().await
    }

    pub(super) async fn may_write_again(&mut self, error: &Error) -> bool {
        error::failure_of(error).is_some_and(|failure| failure.transient) && self.wait().await
    }

    async fn wait(&mut self) -> bool {
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Instant::now() < self.until
    }
}

pub(super) async fn look(db: &Db) -> Result<ClientSession> {
    Ok(db.database.client().start_session().snapshot(true).await?)
}

pub(super) async fn begin(db: &Db) -> Result<Open> {
    let session = start(db).await?;
    let open = db.sessions.enroll(db, session.id()).await?;
    Ok(Open::new(db, session, open))
}

/// Without a word on record: an application ends its transactions itself.
pub(super) async fn start(db: &Db) -> Result<ClientSession> {
    let mut session = db.database.client().start_session().await?;
    // A snapshot that is not known to a majority yet becomes so before the commit, which comes later, is acknowledged.
    session
        .start_transaction()
        .read_concern(ReadConcern::snapshot())
        .write_concern(WriteConcern::majority())
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .await?;
    Ok(session)
}

/// Commits what went well, and rolls back what did not.
pub(super) async fn end<T>(mut open: Open, outcome: Result<T>) -> Result<T> {
    let ended = match outcome {
        Ok(done) => commit(&mut open).await.map(|()| done),
        Err(error) => {
            // The error at hand is the one that matters.
            let _ = open.abort_transaction().await;
            Err(error)
        }
    };
    match &ended {
        Err(error) if !error::failure_of(error).is_some_and(error::Failure::ends_a_transaction) => drop(open),
        _ => open.over(),
    }
    ended
}

/// The driver asks once more when it does not know whether a commit happened, and so does this, for a while: the answer is the same
/// however often one asks.
pub(super) async fn commit(session: &mut ClientSession) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let error = match session.commit_transaction().await {
            Ok(()) => return Ok(()),
            Err(error) => Error::from(error),
        };
        let is_unknown = error::failure_of(&error).is_some_and(error::Failure::leaves_a_commit_unknown);
        if !is_unknown || Instant::now() >= until {
            return Err(error);
        }
        sleep(LONGEST_PAUSE).await;
    }
}
