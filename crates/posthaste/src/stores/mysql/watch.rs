//! Noticing that something was committed.
//!
//! The database is asked a millisecond after something was placed, then after twice as long each time, up to [`LONGEST_PAUSE`]. When nothing
//! has happened for some milliseconds, the pause is spent on the server ([`waiting`]), which says at once that somebody writes a message, at no
//! cost to writers. If nothing was written, and nothing that was can come late, that is also the answer. A wake-up of this process shortens
//! every pause; nothing depends on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use mysql_async::Row;
use mysql_async::prelude::Queryable;
use tokio::time::Instant;

use self::waiting::{Seen, Waiting};
use super::seam::no_journal;
use super::sequencer::may_be_late;
use super::{MySql, codec};
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;
use crate::stores::values;

mod waiting;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// From such a pause on, it is spent on the server.
const IDLE_PAUSE: Duration = Duration::from_millis(16);

/// Seven statements a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

pub(super) fn watch(store: &MySql) -> Box<dyn Watch> {
    Box::new(Watcher {
        store: store.clone(),
        asked: Instant::now(),
        wakes: 0,
        newest: 0,
        operations: 0,
        pause: SHORTEST_PAUSE,
        try_next: false,
        waiting: Waiting::default(),
    })
}

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: MySql,
    /// When the question was asked that was answered last.
    asked: Instant,
    wakes: u64,
    newest: i64,
    operations: i64,
    pause: Duration,
    /// Something was placed so recently that the next try is worth it.
    try_next: bool,
    waiting: Waiting,
}

impl Watcher {
    /// Asks the database whether something is new.
    async fn poll(&mut self) -> Result<bool> {
        let mut connection = self.store.connection().await?;
        let asked = Instant::now();
        let row: Option<Row> = connection.exec_first(include_str!("sql/watch.sql"), ()).await?;
        let row = row.ok_or_else(no_journal)?;
        let (newest, operations): (i64, i64) = (codec::get(&row, "newest")?, codec::get(&row, "wakes")?);
        let is_waiting = codec::get(&row, "is_waiting")?
            || may_be_late(&self.store, &mut connection, codec::get(&row, "changes")?).await?;
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        let changed = is_waiting || newest > self.newest || operations != self.operations || wakes != self.wakes;
        self.pause = if changed { SHORTEST_PAUSE } else { longer(self.pause) };
        (self.asked, self.wakes, self.newest, self.operations) = (asked, wakes, newest.max(self.newest), operations);
        Ok(changed)
    }

    async fn poll_in_time(&mut self) -> Result<bool> {
        let store = self.store.clone();
        store.in_time("watch", self.poll()).await
    }

    /// Waits until something says that there may be news, and asks for it.
    async fn look(&mut self, deadline: Instant) -> Result<bool> {
        let shared = Arc::clone(&self.store.shared);
        // Before the counter is compared: from now on no wake is missed.
        let woken = shared.woken.notified();
        if self.wakes != shared.wakes.load(Ordering::Acquire) {
            return self.poll_in_time().await;
        }
        let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
        if self.pause >= IDLE_PAUSE && self.waiting.begins(&self.store, pause) {
            return tokio::select! {
                () = woken => self.poll_in_time().await,
                answer = self.waiting.answer() => self.hear(answer?).await,
            };
        }
        let _ = tokio::time::timeout(pause, woken).await;
        Ok(std::mem::take(&mut self.try_next) || self.poll_in_time().await?)
    }

    /// Whether this is news. Something that is written is not, but it may be committed by now, or in a moment.
    async fn hear(&mut self, (seen, has_moved): (Seen, bool)) -> Result<bool> {
        if has_moved {
            self.pause = SHORTEST_PAUSE;
        } else if seen.newest <= self.newest && seen.wakes == self.operations && seen.is_all_placed(&self.store) {
            (self.asked, self.pause) = (seen.asked, longer(self.pause));
            return Ok(false);
        }
        self.poll_in_time().await
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let begun = Instant::now();
        let deadline = begun + timeout;
        loop {
            if self.look(deadline).await? {
                return Ok(Hint::Maybe);
            }
            // The answer to a question from before is no promise.
            if Instant::now() >= deadline && self.asked >= begun {
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
