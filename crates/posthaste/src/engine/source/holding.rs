//! Whether this worker holds the source, and until when. As with partitions, the worker measures from before it asked, so it always
//! believes its lease ends earlier than the store does.

use std::time::Duration;

use crate::journal::Epoch;

/// Between two requests for a source that somebody else holds.
const LEASE_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Holding {
    ttl: Duration,
    /// The epoch, and when the lease or its last extension was asked for.
    held: Option<(Epoch, Duration)>,
    /// When the request that is under way was made.
    asked_at: Option<Duration>,
    ask_at: Duration,
    /// There is something to report, which is not to wait for its time.
    has_news: bool,
    /// How many events had been read at the last report, and when that was.
    counted: (u64, Duration),
}

impl Holding {
    pub(super) fn new(ttl: Duration) -> Self {
        Self { ttl, held: None, asked_at: None, ask_at: Duration::ZERO, has_news: false, counted: (0, Duration::ZERO) }
    }

    pub(super) fn epoch(&self) -> Option<Epoch> {
        self.held.map(|(epoch, _)| epoch)
    }

    /// Whether to ask now, and which epoch is held.
    pub(super) fn plan(&mut self, now: Duration) -> Option<Option<Epoch>> {
        let is_time = now >= self.ask_at || self.has_news && self.held.is_some();
        if self.asked_at.is_some() || !is_time {
            return None;
        }
        self.has_news = false;
        self.asked_at = Some(now);
        let pause = if self.held.is_some() { self.ttl / 3 } else { LEASE_INTERVAL.min(self.ttl / 4) };
        self.ask_at = now + pause;
        Some(self.epoch())
    }

    pub(super) fn report_at_once(&mut self) {
        self.has_news = true;
    }

    pub(super) fn is_asking(&self) -> bool {
        self.asked_at.is_some()
    }

    /// The store has answered, well or not. Returns when it was asked.
    pub(super) fn answered(&mut self) -> Duration {
        self.asked_at.take().unwrap_or_default()
    }

    /// Held from now on under this epoch. Returns whether it was already.
    pub(super) fn granted(&mut self, epoch: Epoch, asked_at: Duration) -> bool {
        let was_held = self.epoch() == Some(epoch);
        self.held = Some((epoch, asked_at));
        self.ask_at = asked_at + self.ttl / 3;
        was_held
    }

    /// The request failed: another one goes out soon.
    pub(super) fn failed(&mut self, now: Duration) {
        self.ask_at = now + self.ttl / 10;
    }

    pub(super) fn has_expired(&self, now: Duration) -> bool {
        self.held.is_some_and(|(_, asked_at)| now >= asked_at + self.ttl)
    }

    /// It is not held any more.
    pub(super) fn forget(&mut self) -> Option<Epoch> {
        self.held.take().map(|(epoch, _)| epoch)
    }

    /// Events a second since the last time.
    pub(super) fn rate(&mut self, now: Duration, events: u64) -> u64 {
        let (before, since) = std::mem::replace(&mut self.counted, (events, now));
        let millis = now.saturating_sub(since).as_millis().max(1) as u64;
        events.saturating_sub(before).saturating_mul(1_000) / millis
    }

    pub(super) fn wake_at(&self) -> Option<Duration> {
        let expiry = self.held.map(|(_, asked_at)| asked_at + self.ttl);
        let ask = self.asked_at.is_none().then_some(self.ask_at);
        expiry.into_iter().chain(ask).min()
    }
}
