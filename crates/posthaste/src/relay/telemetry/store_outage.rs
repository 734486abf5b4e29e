//! An outage of the store in the log: a line when it begins, one every ten seconds, and one when it is over. Every request fails
//! meanwhile, and there are many.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Kind};

/// Between two lines about the same outage.
const INTERVAL: Duration = Duration::from_secs(10);

/// Whether the store answers, as one worker sees it.
#[derive(Debug, Default)]
pub(in crate::relay) struct StoreOutage(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Answers,
    Silent(Silence),
}

#[derive(Debug)]
struct Silence {
    began: Instant,
    told: Instant,
    failed: u64,
}

/// What is to be told about a request that failed.
#[derive(Debug, PartialEq, Eq)]
enum News {
    Began,
    Lasts { since: Duration, failed: u64 },
}

impl State {
    fn failed(&mut self, now: Instant) -> Option<News> {
        let State::Silent(silence) = self else {
            *self = State::Silent(Silence { began: now, told: now, failed: 1 });
            return Some(News::Began);
        };
        silence.failed += 1;
        if now.duration_since(silence.told) < INTERVAL {
            return None;
        }
        silence.told = now;
        Some(News::Lasts { since: now.duration_since(silence.began), failed: silence.failed })
    }

    /// How long it was silent, and how many requests failed, if it was.
    fn answered(&mut self, now: Instant) -> Option<(Duration, u64)> {
        match std::mem::take(self) {
            State::Answers => None,
            State::Silent(silence) => Some((now.duration_since(silence.began), silence.failed)),
        }
    }
}

impl StoreOutage {
    /// A request failed; the engine goes on trying. Anything but an outage is told each time.
    pub(in crate::relay) fn failed(&self, request: &str, error: &Error) {
        let operation = (request == "lease").then_some(super::log::CLAIM);
        let phase = operation.map(|_| "ERROR");
        if error.kind() != Kind::Unavailable {
            tracing::warn!(request, %error, operation, phase, "the store refused a request; trying again");
            return;
        }
        match self.state().failed(Instant::now()) {
            Some(News::Began) => {
                tracing::warn!(request, %error, operation, phase, "the store does not answer; trying again");
            }
            Some(News::Lasts { since, failed }) => {
                let since = since.as_secs();
                tracing::warn!(request, %error, seconds = since, requests = failed, "the store still does not answer");
            }
            None => {}
        }
    }

    /// The store answered a request.
    pub(in crate::relay) fn answered(&self) {
        if let Some((silent, failed)) = self.state().answered(Instant::now()) {
            tracing::info!(milliseconds = silent.as_millis() as u64, requests = failed, "the store answers again");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_told_when_it_begins_every_ten_seconds_and_when_it_is_over() {
        let (mut state, began) = (State::default(), Instant::now());
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        assert_eq!(state.answered(at(0)), None, "nothing to tell");
        assert_eq!(state.failed(at(0)), Some(News::Began));
        let told: Vec<_> = (1..=25).filter_map(|second| state.failed(at(second))).collect();
        let lasts = |seconds, failed| News::Lasts { since: Duration::from_secs(seconds), failed };
        assert_eq!(told, [lasts(10, 11), lasts(20, 21)]);
        assert_eq!(state.answered(at(26)), Some((Duration::from_secs(26), 26)));
        assert_eq!(state.answered(at(27)), None, "told once");
        assert_eq!(state.failed(at(28)), Some(News::Began), "another outage");
    }
}
