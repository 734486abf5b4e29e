//! Noticing that another connection wrote something.
//!
//! `PRAGMA data_version` changes when another connection commits, in this process or in any other, and not when its own does.
//! It is asked on the relay's writing connection, so a relay does not wake itself. How often: a millisecond after something
//! happened, then twice as long each time, up to [`LONGEST_PAUSE`].

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::time::Instant;

use super::Sqlite;
use crate::error::Result;
use crate::journal::Hint;

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

/// Seven questions a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// What one handle has noticed.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    version: i64,
    wakes: u64,
    pause: Duration,
}

impl Watch {
    pub(super) fn starting_at(version: i64) -> Self {
        Self { version, wakes: 0, pause: SHORTEST_PAUSE }
    }

    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, version: i64, wakes: u64) -> bool {
        let changed = (version, wakes) != (self.version, self.wakes);
        let pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        *self = Self { version, wakes, pause };
        changed
    }
}

impl Sqlite {
    pub(super) async fn wait_for_change(&self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        loop {
            // Before the look at the counter: from now on no wake is missed.
            let woken = self.shared.woken.notified();
            let wakes = self.shared.wakes.load(Ordering::Acquire);
            if self.watch().wakes == wakes {
                let pause = self.watch().pause.min(deadline.saturating_duration_since(Instant::now()));
                let _ = tokio::time::timeout(pause, woken).await;
            }
            if self.look().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                return Ok(Hint::Nothing);
            }
        }
    }

    async fn look(&self) -> Result<bool> {
        let version = self.with_writer(|writer| data_version(writer)).await?;
        let wakes = self.shared.wakes.load(Ordering::Acquire);
        Ok(self.watch().notice(version, wakes))
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached(include_str!("wait.sql"))?.query_row([], |row| row.get(0))?)
}
