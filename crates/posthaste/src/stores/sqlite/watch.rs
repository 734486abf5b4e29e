//! Noticing that another connection wrote something.
//!
//! `PRAGMA data_version` changes when another connection commits, in this process or in any other, and not when its own does.
//! It is read on the relay's writing connection, so a relay does not wake itself. How often: a millisecond after a message was
//! written, then twice as long each time, up to [`LONGEST_PAUSE`]. What other relays record is a change too, but no reason to hurry.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::Connection;
use tokio::time::Instant;

use super::{Sqlite, advance};
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

/// A look costs some microseconds, so an idle relay can afford three hundred a second, and hears of a message at once.
const LONGEST_PAUSE: Duration = Duration::from_millis(3);

pub(super) fn watch(store: &Sqlite) -> Box<dyn Watch> {
    let (store, version) = (store.clone(), store.shared.version);
    Box::new(Watcher { store, version, wakes: 0, newest: Position::START, pause: SHORTEST_PAUSE })
}

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: Sqlite,
    version: i64,
    wakes: u64,
    newest: Position,
    pause: Duration,
}

impl Watcher {
    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, version: i64, wakes: u64, newest: Position) -> bool {
        let changed = version != self.version || wakes != self.wakes;
        let hurry = newest > self.newest || wakes != self.wakes;
        self.pause = if hurry { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.version, self.wakes, self.newest) = (version, wakes, newest);
        changed
    }

    /// Asks the database once, and says whether there is something new.
    async fn poll(&mut self) -> Result<bool> {
        let (seen_version, seen_newest) = (self.version, self.newest);
        // Not counted as a request: it reads a number in shared memory, and no page.
        let version = self.store.shared.writer.run(|writer| data_version(writer)).await?;
        let newest = match version == seen_version {
            true => seen_newest,
            false => self.store.with_writer(|writer| advance::newest(writer)).await?,
        };
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        Ok(self.notice(version, wakes, newest))
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        let shared = Arc::clone(&self.store.shared);
        loop {
            // Before the counter is read: from now on no wake is missed.
            let woken = shared.woken.notified();
            if self.wakes == shared.wakes.load(Ordering::Acquire) {
                let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
                let _ = tokio::time::timeout(pause, woken).await;
            }
            if self.poll().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                return Ok(Hint::Nothing);
            }
        }
    }
}

pub(super) fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached(include_str!("sql/watch.sql"))?.query_row([], |row| row.get("data_version"))?)
}
