//! How far the journal reaches, and when to find out again.

use std::time::Duration;

use crate::journal::Position;

/// The shortest pause between two requests for what is new.
const BUSY_INTERVAL: Duration = Duration::from_millis(1);
/// A worker that lags behind wants nothing new, but asks this often: an operator may have asked for something.
const LAGGING_INTERVAL: Duration = Duration::from_secs(1);
/// A request that failed is made again after this long.
const RETRY: Duration = Duration::from_millis(200);

/// What a worker wants to know about the front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing: it holds no partition, or is about to stop.
    Nothing,
    /// Some lane has read everything: new messages are wanted.
    NewMessages,
    /// All lanes lag behind.
    SomeTime,
}

/// The newest position that can be read.
#[derive(Debug)]
pub(super) struct Front {
    poll_interval: Duration,
    newest: Option<Position>,
    under_way: bool,
    at: Duration,
    /// The last request failed and may have taken a hint along, so the next one waits for none.
    hint_lost: bool,
}

impl Front {
    /// Nothing is known yet. An idle worker asks every `poll_interval`.
    pub(super) fn new(poll_interval: Duration) -> Self {
        Self { poll_interval, newest: None, under_way: false, at: Duration::ZERO, hint_lost: false }
    }

    /// The newest position, if it is known.
    pub(super) fn newest(&self) -> Option<Position> {
        self.newest
    }

    /// When to ask next, and how long to wait for news then. The front is wanted in any case while none is known.
    fn next(&self, wanted: Wanted) -> Option<(Duration, Duration)> {
        match wanted {
            _ if self.under_way => None,
            _ if self.newest.is_none() => Some((self.at, Duration::ZERO)),
            Wanted::Nothing => None,
            Wanted::SomeTime => Some((self.at + LAGGING_INTERVAL, Duration::ZERO)),
            Wanted::NewMessages if self.hint_lost => Some((self.at, Duration::ZERO)),
            Wanted::NewMessages => Some((self.at, self.poll_interval)),
        }
    }

    /// When to ask next.
    pub(super) fn wake_at(&self, wanted: Wanted) -> Option<Duration> {
        self.next(wanted).map(|(at, _)| at)
    }

    /// Whether to ask now, and how long to wait for news.
    pub(super) fn plan(&mut self, now: Duration, wanted: Wanted) -> Option<Duration> {
        let (_, wait) = self.next(wanted).filter(|(at, _)| now >= *at)?;
        self.under_way = true;
        Some(wait)
    }

    /// The newest position is this, or there is certainly nothing new.
    pub(super) fn advanced(&mut self, now: Duration, newest: Option<Position>) {
        self.under_way = false;
        self.at = now + BUSY_INTERVAL;
        self.hint_lost = false;
        self.newest = self.newest.max(newest);
    }

    /// Nothing is known.
    pub(super) fn failed(&mut self, now: Duration) {
        self.under_way = false;
        self.at = now + RETRY;
        self.hint_lost = true;
    }
}
