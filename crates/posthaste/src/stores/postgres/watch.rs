//! Noticing that something was committed.
//!
//! Where there was a tick, there may soon be another: the relay tries to make it within a millisecond, without asking first. When
//! that comes to nothing, a cheap statement is run, then again after twice as long each time, up to [`LONGEST_PAUSE`].
//! A wake-up of this process or a notification of the database shortens the pause; nothing depends on them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::Postgres;
use super::session::Statements;
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;
use crate::stores::values::unsigned;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// Seven statements a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

pub(super) fn watch(store: &Postgres) -> Box<dyn Watch> {
    Box::new(Watcher { store: store.clone(), wakes: 0, tick: 0, pause: SHORTEST_PAUSE, try_next: false })
}

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: Postgres,
    wakes: u64,
    tick: u64,
    pause: Duration,
    /// The last tick came so recently that the next one is worth a try.
    try_next: bool,
}

impl Watcher {
    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, tick: u64, is_news: bool, wakes: u64) -> bool {
        let changed = is_news || tick > self.tick || wakes != self.wakes;
        self.pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.wakes, self.tick, self.try_next) = (wakes, tick.max(self.tick), false);
        changed
    }

    /// Asks the database whether something is new.
    async fn poll(&mut self) -> Result<bool> {
        let client = self.store.client().await?;
        let row = client.query_one(include_str!("sql/watch.sql"), &[]).await?;
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        Ok(self.notice(unsigned(row.try_get("tick")?), row.try_get("is_news")?, wakes))
    }

    /// Until the pause is over, or something says that there is news.
    async fn rest(&self, deadline: Instant) {
        let shared = Arc::clone(&self.store.shared);
        // Before the counter is compared: from now on no wake is missed.
        let woken = shared.woken.notified();
        if self.wakes != shared.wakes.load(Ordering::Acquire) {
            return;
        }
        let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
        tokio::select! {
            () = woken => {}
            () = shared.listener.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        let shared = Arc::clone(&self.store.shared);
        if !shared.pool.manager().meets_pooler() {
            shared.listener.ensure(&shared.options, &shared.way).await;
        }
        loop {
            self.rest(deadline).await;
            if std::mem::take(&mut self.try_next) || self.poll().await? {
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
