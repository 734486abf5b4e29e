//! Noticing that something was committed.
//!
//! The database is asked a millisecond after something was placed, then after twice as long each time, up to [`LONGEST_PAUSE`]. A
//! wake-up of this process shortens the pause; nothing depends on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use mysql_async::Row;
use mysql_async::prelude::Queryable;
use tokio::time::Instant;

use super::seam::no_journal;
use super::sequencer::may_be_late;
use super::{MySql, codec};
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;
use crate::stores::values;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// Seven statements a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

pub(super) fn watch(store: &MySql) -> Box<dyn Watch> {
    Box::new(Watcher {
        store: store.clone(),
        wakes: 0,
        newest: 0,
        operations: 0,
        pause: SHORTEST_PAUSE,
        try_next: false,
    })
}

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: MySql,
    wakes: u64,
    newest: i64,
    operations: i64,
    pause: Duration,
    /// Something was placed so recently that the next try is worth it.
    try_next: bool,
}

impl Watcher {
    /// Asks the database whether something is new.
    async fn poll(&mut self) -> Result<bool> {
        let mut connection = self.store.connection().await?;
        let row: Option<Row> = connection.exec_first(include_str!("sql/watch.sql"), ()).await?;
        let row = row.ok_or_else(no_journal)?;
        let (newest, operations): (i64, i64) = (codec::get(&row, "newest")?, codec::get(&row, "wakes")?);
        let is_waiting = codec::get(&row, "is_waiting")?
            || may_be_late(&self.store, &mut connection, codec::get(&row, "changes")?).await?;
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        let changed = is_waiting || newest > self.newest || operations != self.operations || wakes != self.wakes;
        self.pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.wakes, self.newest, self.operations) = (wakes, newest.max(self.newest), operations);
        Ok(changed)
    }

    /// Until the pause is over, or somebody says that there is news.
    async fn rest(&self, deadline: Instant) {
        let shared = Arc::clone(&self.store.shared);
        // Before the counter is compared: from now on no wake is missed.
        let woken = shared.woken.notified();
        if self.wakes != shared.wakes.load(Ordering::Acquire) {
            return;
        }
        let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
        let _ = tokio::time::timeout(pause, woken).await;
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        loop {
            self.rest(deadline).await;
            let store = self.store.clone();
            if std::mem::take(&mut self.try_next) || store.in_time("watch", self.poll()).await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                return Ok(Hint::Nothing);
            }
        }
    }

    /// This position is no news; but where something was placed, there may soon be more.
    fn saw(&mut self, newest: Position) {
        let newest = values::seq(newest);
        if newest > self.newest {
            self.newest = newest;
            self.pause = SHORTEST_PAUSE;
            self.try_next = true;
        }
    }
}
