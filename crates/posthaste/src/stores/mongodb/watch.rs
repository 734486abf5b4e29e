//! Noticing that something was written.
//!
//! The change stream says so. Whether it does or not, a wait that comes to its end polls the collections by itself before it says
//! that there is nothing. This is all there is when the stream is off.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mongodb::ClientSession;
use tokio::time::{Instant, timeout};

use super::change_stream::{follow, resume_token};
use super::db::Db;
use super::retry::in_snapshot;
use super::sequencer::any_waits;
use super::state::State;
use super::{MongoDb, status_stamps};
use crate::error::Result;
use crate::journal::Hint;
use crate::store::Watch;

const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: MongoDb,
    changes: u64,
    newest: i64,
    wakes: i64,
    pause: Duration,
}

/// What a poll of the collections found.
struct Seen {
    newest: i64,
    wakes: i64,
    waiting: bool,
}

/// A watcher that has noticed nothing yet.
pub(super) fn watch(store: &MongoDb) -> Box<dyn Watch> {
    Box::new(Watcher { store: store.clone(), changes: 0, newest: 0, wakes: 0, pause: SHORTEST_PAUSE })
}

impl Watcher {
    /// Takes note of what is there and says whether that is new.
    async fn poll(&mut self) -> Result<bool> {
        let db = self.store.db();
        let found = in_snapshot!(db, session => seen(db, &mut session))?;
        let moved = found.newest != self.newest || found.wakes != self.wakes;
        self.pause = if moved { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.newest, self.wakes) = (found.newest, found.wakes);
        Ok(moved || found.waiting)
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, longest: Duration) -> Result<Hint> {
        follow(&self.store);
        let feed = Arc::clone(self.store.shared.change_stream.feed());
        let deadline = Instant::now() + longest;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let pause = if feed.is_live() { rest } else { self.pause.min(rest) };
            if timeout(pause, feed.changed_since(self.changes)).await.is_ok() {
                self.changes = feed.changes();
                return Ok(Hint::Maybe);
            }
            let token = feed.token();
            if self.poll().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                resume_token::keep(&self.store, token).await;
                status_stamps::stamp_if_due(&self.store).await;
                return Ok(Hint::Nothing);
            }
        }
    }
}

async fn seen(db: &Db, session: &mut ClientSession) -> Result<Seen> {
    let state = State::load(db, session).await?;
    let waiting = any_waits(db, session).await?;
    Ok(Seen { newest: state.newest, wakes: state.wakes, waiting })
}
