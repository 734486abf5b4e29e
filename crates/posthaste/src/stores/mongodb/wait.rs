//! Noticing that something was written.
//!
//! The change stream says so. Whether it does or not, a wait that comes to its end looks into the collections by itself before
//! it says that there is nothing: this is the fallback poller, and all there is when the stream is off.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use mongodb::ClientSession;
use tokio::time::{Instant, timeout};

use super::MongoDb;
use super::db::Db;
use super::sequence::{any_without_place, state};
use super::session::snapshot;
use crate::error::Result;
use crate::journal::Hint;

const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// What one handle has noticed.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    changes: u64,
    newest: i64,
    wakes: i64,
    pause: Duration,
}

impl Default for Watch {
    fn default() -> Self {
        Self { changes: 0, newest: 0, wakes: 0, pause: SHORTEST_PAUSE }
    }
}

/// What a look into the collections found.
struct Seen {
    newest: i64,
    wakes: i64,
    waiting: bool,
}

impl MongoDb {
    pub(super) async fn wait_for_change(&self, longest: Duration) -> Result<Hint> {
        self.follow();
        let deadline = Instant::now() + longest;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let pause = if self.shared.feed.is_live() { rest } else { self.watch().pause.min(rest) };
            let seen = self.watch().changes;
            if timeout(pause, self.shared.feed.changed_since(seen)).await.is_ok() {
                self.watch().changes = self.shared.feed.changes();
                return Ok(Hint::Maybe);
            }
            let token = self.shared.feed.token();
            if self.look().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                self.keep_token(token).await;
                self.stamp_if_due().await;
                return Ok(Hint::Nothing);
            }
        }
    }

    /// Takes note of what is there and says whether that is new.
    async fn look(&self) -> Result<bool> {
        let db = self.db();
        let found = snapshot!(db, session => seen(db, &mut session))?;
        let mut watch = self.watch();
        let moved = found.newest != watch.newest || found.wakes != watch.wakes;
        watch.pause = if moved { SHORTEST_PAUSE } else { (watch.pause * 2).min(LONGEST_PAUSE) };
        (watch.newest, watch.wakes) = (found.newest, found.wakes);
        Ok(moved || found.waiting)
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn seen(db: &Db, session: &mut ClientSession) -> Result<Seen> {
    let state = state(db, session).await?;
    let waiting = any_without_place(db, session).await?;
    Ok(Seen { newest: state.newest, wakes: state.wakes, waiting })
}
