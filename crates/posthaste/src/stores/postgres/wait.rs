//! Noticing that something was committed.
//!
//! Where there was a tick, there may soon be another: the relay tries to make it within a millisecond, without asking first. When that
//! comes to nothing, a cheap question is asked, then after twice as long each time, up to [`LONGEST_PAUSE`].
//! A wake-up of this process or a notification of the database shortens the pause; nothing depends on them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::Postgres;
use super::codec;
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// Seven questions a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// What one worker has noticed.
#[derive(Debug)]
pub(super) struct Watcher {
    store: Postgres,
    wakes: u64,
    tick: u64,
    pause: Duration,
    /// The last tick came so recently that the next one is worth a try.
    try_next: bool,
}

impl Watcher {
    pub(super) fn new(store: Postgres) -> Self {
        Self { store, wakes: 0, tick: 0, pause: SHORTEST_PAUSE, try_next: false }
    }

    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, tick: u64, is_news: bool, wakes: u64) -> bool {
        let changed = is_news || tick > self.tick || wakes != self.wakes;
        self.pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.wakes, self.tick, self.try_next) = (wakes, tick.max(self.tick), false);
        changed
    }

    async fn look(&mut self) -> Result<bool> {
        let client = self.store.client().await?;
        let statement = client.prepare_cached(include_str!("wait.sql")).await?;
        let row = client.query_one(&statement, &[]).await?;
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        Ok(self.notice(codec::unsigned(row.try_get(0)?), row.try_get(1)?, wakes))
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        let shared = Arc::clone(&self.store.shared);
        shared.listener.ensure(&shared.options).await;
        loop {
            // Before the look at the counter: from now on no wake is missed.
            let woken = shared.woken.notified();
            if self.wakes == shared.wakes.load(Ordering::Acquire) {
                let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
                tokio::select! {
                    () = woken => {}
                    () = shared.listener.notified() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
            if std::mem::take(&mut self.try_next) || self.look().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                return Ok(Hint::Nothing);
            }
        }
    }

    /// This tick is no news; but where there was one, there may soon be another.
    fn saw(&mut self, newest: Position) {
        if newest.tick > self.tick {
            self.tick = newest.tick;
            self.pause = SHORTEST_PAUSE;
            self.try_next = true;
        }
    }
}
