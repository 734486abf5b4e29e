//! Reading from one snapshot, and writing in one transaction, each tried again when that makes sense.

use std::time::Duration;

use mongodb::ClientSession;
use tokio::time::{Instant, sleep};

use super::db::Db;
use super::error;
use crate::error::{Error, Result};

/// A snapshot that is not there: right after an election, a start, or a change of indexes. Soon there is a newer one.
const SNAPSHOT_UNAVAILABLE: [i32; 2] = [239, 246];

/// How long something is tried again for.
const PATIENCE: Duration = Duration::from_secs(15);

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Runs an expression that reads with a session, all from one snapshot of what a majority of the set has.
macro_rules! in_snapshot {
    ($db:expr, $session:ident => $work:expr) => {{
        let mut tries = $crate::stores::mongodb::retry::Tries::new();
        loop {
            let mut $session = $crate::stores::mongodb::retry::snapshot($db).await?;
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
        let mut tries = $crate::stores::mongodb::retry::Tries::new();
        loop {
            match $work.await {
                Err(error) if tries.may_read_again(&error).await => {}
                outcome => break outcome,
            }
        }
    }};
}

/// Runs an expression that writes with a session, in one transaction: all of it or none, known to a majority of the set.
macro_rules! in_transaction {
    ($db:expr, $session:ident => $work:expr) => {{
        let mut tries = $crate::stores::mongodb::retry::Tries::new();
        loop {
            let mut $session = $crate::stores::mongodb::store_transaction::StoreTransaction::begin($db).await?;
            let outcome = tokio::time::timeout($db.options.call_timeout, $work).await;
            let outcome = outcome.unwrap_or_else(|_| Err($crate::stores::mongodb::error::too_slow()));
            match $session.end(outcome).await {
                Err(error) if tries.may_write_again(&error).await => {}
                outcome => break outcome,
            }
        }
    }};
}

pub(super) use {again, in_snapshot, in_transaction};

/// For how long something is still tried again, and the pause before the next time.
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

/// A session that reads from one snapshot.
pub(super) async fn snapshot(db: &Db) -> Result<ClientSession> {
    Ok(db.database.client().start_session().snapshot(true).await?)
}
