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

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Duration = Duration::from_secs(2);

    fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    /// Of a journal with five messages, as it was known after ten milliseconds.
    fn known() -> Front {
        let mut front = Front::new(POLL);
        assert_eq!(front.plan(ms(0), Wanted::Nothing), Some(Duration::ZERO), "the front is wanted while none is known");
        assert_eq!((front.wake_at(Wanted::NewMessages), front.plan(ms(9), Wanted::NewMessages)), (None, None));
        front.advanced(ms(10), Some(Position::seq(5)));
        front
    }

    #[test]
    fn whoever_has_read_everything_waits_for_news_and_whoever_lags_asks_now_and_then() {
        for (wanted, at, wait) in [
            (Wanted::NewMessages, Some(ms(11)), Some(POLL)),
            (Wanted::SomeTime, Some(ms(1_011)), Some(Duration::ZERO)),
            (Wanted::Nothing, None, None),
        ] {
            assert_eq!(known().wake_at(wanted), at, "{wanted:?}");
            assert_eq!(known().plan(at.unwrap_or(Duration::MAX), wanted), wait, "{wanted:?}");
            assert_eq!(known().plan(at.unwrap_or(Duration::MAX) - ms(1), wanted), None, "{wanted:?}, too early");
        }
    }

    #[test]
    fn a_request_that_failed_is_made_again_soon_and_waits_for_no_hint() {
        let mut front = known();
        front.plan(ms(11), Wanted::NewMessages);
        front.failed(ms(20));
        assert_eq!(front.plan(ms(219), Wanted::NewMessages), None);
        assert_eq!(front.plan(ms(220), Wanted::NewMessages), Some(Duration::ZERO));
        front.advanced(ms(230), None);
        assert_eq!(front.newest(), Some(Position::seq(5)), "there is certainly nothing new");
        assert_eq!(front.plan(ms(231), Wanted::NewMessages), Some(POLL));
    }

    #[test]
    fn the_front_never_goes_back() {
        let mut front = known();
        front.advanced(ms(20), Some(Position::seq(3)));
        assert_eq!(front.newest(), Some(Position::seq(5)));
        front.advanced(ms(30), Some(Position::seq(7)));
        assert_eq!(front.newest(), Some(Position::seq(7)));
    }
}
