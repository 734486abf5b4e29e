//! Noticing that something was committed.
//!
//! Where there was a tick, there may soon be another: the relay tries to make it within a millisecond, without asking first. When
//! that comes to nothing, a cheap statement is run, then again after twice as long each time.
//!
//! When nothing has happened for some milliseconds, the pause is spent on the server ([`waiting`]), in a statement that asks the same and then
//! looks every three milliseconds whether somebody takes a number for a message. Writers pay nothing for it, and seven statements a second are
//! enough. A number whose commit takes its time starts the short pauses anew. A wake-up of this process or a notification of the database
//! shortens every pause; nothing depends on any of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;
use tokio_postgres::Row;

use self::waiting::Waiting;
use super::Postgres;
use super::session::Statements;
use crate::error::Result;
use crate::journal::{Hint, Position};
use crate::store::Watch;
use crate::stores::values::unsigned;

mod waiting;

/// Till the next beat of the runtime's timers, which have one each millisecond.
const SHORTEST_PAUSE: Duration = Duration::from_micros(250);

/// From such a pause on, it is spent on the server.
const IDLE_PAUSE: Duration = Duration::from_millis(16);

/// Seven statements a second when nothing happens.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

pub(super) fn watch(store: &Postgres) -> Box<dyn Watch> {
    let (store, waiting) = (store.clone(), Waiting::default());
    let asked = Instant::now();
    Box::new(Watcher {
        store,
        asked,
        wakes: 0,
        tick: 0,
        operations: 0,
        pause: SHORTEST_PAUSE,
        try_next: false,
        waiting,
    })
}

/// What the database says about what is new.
#[derive(Debug)]
struct News {
    /// When it was asked: what was committed before that is in it.
    asked: Instant,
    tick: u64,
    /// How often operators have changed something.
    operations: i64,
    /// Whether something is committed that is in no tick.
    is_news: bool,
    /// The newest number of a message, if that was asked for.
    number: Option<i64>,
}

impl News {
    fn of(row: &Row, asked: Instant) -> Result<Self> {
        let tick = unsigned(row.try_get("tick")?);
        let (operations, is_news) = (row.try_get("operations")?, row.try_get("is_news")?);
        Ok(Self { asked, tick, operations, is_news, number: None })
    }
}

/// What one worker has noticed.
#[derive(Debug)]
struct Watcher {
    store: Postgres,
    /// When the question was asked that was answered last.
    asked: Instant,
    wakes: u64,
    tick: u64,
    operations: i64,
    pause: Duration,
    /// The last tick came so recently that the next one is worth a try.
    try_next: bool,
    waiting: Waiting,
}

impl Watcher {
    /// Takes note of the newest change and says whether there was one.
    fn notice(&mut self, news: &News) -> bool {
        let wakes = self.store.shared.wakes.load(Ordering::Acquire);
        let operated = news.operations != self.operations;
        let changed = news.is_news || operated || news.tick > self.tick || wakes != self.wakes;
        self.pause = if changed { SHORTEST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        (self.asked, self.wakes, self.tick, self.try_next) = (news.asked, wakes, news.tick.max(self.tick), false);
        self.operations = news.operations;
        changed
    }

    /// Asks the database whether something is new.
    async fn poll(&mut self) -> Result<bool> {
        let client = self.store.client().await?;
        let asked = Instant::now();
        let row = client.query_one(include_str!("sql/watch.sql"), &[]).await?;
        Ok(self.notice(&News::of(&row, asked)?))
    }

    /// Waits until something says that there may be news, and asks for it.
    async fn look(&mut self, deadline: Instant) -> Result<bool> {
        let shared = Arc::clone(&self.store.shared);
        // Before the counter is compared: from now on no wake is missed.
        let woken = shared.woken.notified();
        if self.wakes != shared.wakes.load(Ordering::Acquire) {
            return self.poll().await;
        }
        let pause = self.pause.min(deadline.saturating_duration_since(Instant::now()));
        if self.pause >= IDLE_PAUSE && self.waiting.begins(&self.store, self.tick, pause) {
            return tokio::select! {
                () = woken => self.poll().await,
                () = shared.listener.notified() => self.poll().await,
                answer = self.waiting.answer() => self.hear(answer?).await,
            };
        }
        tokio::select! {
            () = woken => {}
            () = shared.listener.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
        Ok(std::mem::take(&mut self.try_next) || self.poll().await?)
    }

    /// Whether this is news. A number without its message is not, but the message may be there by now, or in a moment.
    async fn hear(&mut self, (news, has_moved): (News, bool)) -> Result<bool> {
        let changed = self.notice(&news);
        if changed || !has_moved {
            return Ok(changed);
        }
        self.pause = SHORTEST_PAUSE;
        self.poll().await
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        let begun = Instant::now();
        let deadline = begun + timeout;
        let shared = Arc::clone(&self.store.shared);
        if !shared.pool.manager().meets_pooler() {
            shared.listener.ensure(&shared.options, &shared.way).await;
        }
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

    /// This tick is no news; but where there was one, there may soon be another.
    fn saw(&mut self, newest: Position) {
        if newest.tick > self.tick {
            self.tick = newest.tick;
            self.pause = SHORTEST_PAUSE;
            self.try_next = true;
        }
    }
}
