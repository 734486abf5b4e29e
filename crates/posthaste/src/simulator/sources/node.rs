//! A worker that reads the source, one life after another.

use std::time::Duration;

use super::{Mistakes, SOURCE, TTL};
use crate::engine::source::SourceEngine;
use crate::journal::WorkerId;
use crate::source::Feed;

pub(super) const WINDOW: usize = 12;
pub(super) const MAX_BATCH: usize = 5;

/// Turns at one moment without anything to do; more is spinning.
const MOST_IDLE_TURNS: u32 = 50;

pub(super) struct Node {
    number: usize,
    mistakes: Mistakes,
    feed: Feed,
    /// Grows with each life, so that nothing outlives it.
    pub(super) life: u64,
    pub(super) worker: WorkerId,
    pub(super) engine: Option<SourceEngine>,
    pub(super) frozen_until: Duration,
    idle: (Duration, u32),
    wake: Option<Duration>,
}

impl Node {
    pub(super) fn new(number: usize, mistakes: Mistakes) -> Self {
        let feed = Feed::new(SOURCE).max_batch(MAX_BATCH).window(WINDOW, 1 << 20);
        let (engine, frozen_until) = (None, Duration::ZERO);
        let worker = WorkerId(String::new());
        Self { number, mistakes, feed, life: 0, worker, engine, frozen_until, idle: (Duration::ZERO, 0), wake: None }
    }

    pub(super) fn die(&mut self) {
        self.life += 1;
        self.engine = None;
        self.wake = None;
    }

    pub(super) fn start(&mut self) {
        self.die();
        self.frozen_until = Duration::ZERO;
        self.worker = WorkerId(format!("worker-{}-{}", self.number, self.life));
        self.engine = Some(SourceEngine::new(self.feed.clone(), self.worker.clone(), TTL, self.mistakes));
    }

    /// Whether it is to be woken then, because it is not woken earlier.
    pub(super) fn plans_to_wake(&mut self, at: Duration) -> bool {
        let is_news = self.wake.is_none_or(|planned| at < planned);
        if is_news {
            self.wake = Some(at);
        }
        is_news
    }

    pub(super) fn wakes(&mut self, now: Duration) {
        self.wake.take_if(|planned| *planned <= now);
    }

    pub(super) fn is_spinning(&mut self, now: Duration, is_idle: bool) -> bool {
        let (since, turns) = self.idle;
        self.idle = if is_idle && since == now { (now, turns + 1) } else { (now, 0) };
        self.idle.1 > MOST_IDLE_TURNS
    }
}
