//! Noticing that something was committed.
//!
//! Where there was a tick, there may soon be another: the relay tries to make it within a millisecond, without asking first. When that
//! comes to nothing, a cheap question is asked, then after twice as long each time, up to [`LONGEST_PAUSE`].
//! A wake-up of this process or a notification of the database shortens the pause; nothing depends on them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::Postgres;
use super::codec;
use crate::error::Result;
use crate::journal::Hint;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// Seven questions a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// What one handle has noticed.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    wakes: u64,
    tick: u64,
    pause: Duration,
    /// The last tick came so recently that the next one is worth a try.
    try_next: bool,
}

impl Default for Watch {
    fn default() -> Self {
        Self { wakes: 0, tick: 0, pause: SHORTEST_PAUSE, try_next: false }
    }
}

impl Watch {
    /// The handle knows this tick, so it is no news; but where there was one, there may soon be another.
    pub(super) fn saw(&mut self, tick: u64) {
        if tick > self.tick {
            self.tick = tick;
            self.pause = SHORTEST_PAUSE;
            self.try_next = true;
        }
    }

    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, tick: u64, is_news: bool, wakes: u64) -> bool {
        let changed = is_news || tick > self.tick || wakes != self.wakes;
        let pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        *self = Self { wakes, tick: tick.max(self.tick), pause, try_next: false };
        changed
    }
}

impl Postgres {
    pub(super) async fn wait_for_change(&self, timeout: Duration) -> Result<Hint> {
        let deadline = Instant::now() + timeout;
        self.shared.listener.ensure(&self.shared.options).await;
        loop {
            // Before the look at the counter: from now on no wake is missed.
            let woken = self.shared.woken.notified();
            let wakes = self.shared.wakes.load(Ordering::Acquire);
            if self.watch().wakes == wakes {
                let pause = self.watch().pause.min(deadline.saturating_duration_since(Instant::now()));
                tokio::select! {
                    () = woken => {}
                    () = self.shared.listener.notified() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
            if std::mem::take(&mut self.watch().try_next) || self.look().await? {
                return Ok(Hint::Maybe);
            }
            if Instant::now() >= deadline {
                return Ok(Hint::Nothing);
            }
        }
    }

    async fn look(&self) -> Result<bool> {
        let client = self.client().await?;
        let statement = client.prepare_cached(include_str!("wait.sql")).await?;
        let row = client.query_one(&statement, &[]).await?;
        let wakes = self.shared.wakes.load(Ordering::Acquire);
        Ok(self.watch().notice(codec::unsigned(row.try_get(0)?), row.try_get(1)?, wakes))
    }
}
