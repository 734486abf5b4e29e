//! A server that says nothing: its machine is gone, or something in between swallows what is sent. TCP would wait for minutes, and behind
//! a proxy for ever, so everything that the engine asks has a time limit.
//!
//! Whoever meets the silence gives up all connections there are, so that the others do not have to find out one by one. What
//! is merely slow has twice as long the next time: a backlog that takes a minute to count is counted in the end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Kind, Result};

/// Nothing is waited for any longer.
const LONGEST: Duration = Duration::from_secs(600);

/// How long questions may take, and since when connections are new enough.
#[derive(Debug)]
pub(super) struct Silence {
    usual: Duration,
    /// Whether anything has more time than usual, so that nobody has to look.
    any_longer: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    longer: HashMap<String, Duration>,
    noticed: Option<Instant>,
}

impl Silence {
    pub(super) fn after(usual: Duration) -> Self {
        Self { usual, any_longer: AtomicBool::new(false), state: Mutex::default() }
    }

    /// Asks for as long as that may take. What has the same name has the same limit.
    pub(super) async fn limits<T>(&self, name: &str, question: impl Future<Output = Result<T>>) -> Result<T> {
        let limit = self.limit(name);
        match tokio::time::timeout(limit, question).await {
            Ok(done) => done,
            Err(_) => {
                self.notice(name, limit);
                let text = format!("the store has not answered for {limit:?}: connecting anew");
                Err(Error::new(Kind::Unavailable, text))
            }
        }
    }

    /// Whether a connection that was made then is one of those that were given up.
    #[cfg(any(test, feature = "mysql", feature = "postgres"))]
    pub(super) fn gave_up(&self, made: Instant) -> bool {
        self.state().noticed.is_some_and(|noticed| made <= noticed)
    }

    fn limit(&self, name: &str) -> Duration {
        if !self.any_longer.load(Ordering::Relaxed) {
            return self.usual;
        }
        self.state().longer.get(name).copied().unwrap_or(self.usual)
    }

    fn notice(&self, name: &str, limit: Duration) {
        let mut state = self.state();
        state.noticed = Some(Instant::now());
        state.longer.insert(name.to_owned(), (limit * 2).min(LONGEST.max(self.usual)));
        self.any_longer.store(true, Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_question_that_ran_out_of_time_has_twice_as_long_the_next_time_and_the_others_have_not() {
        let silence = Silence::after(Duration::from_secs(5));
        let before = Instant::now();
        assert!(!silence.gave_up(before));
        for seconds in [5, 10, 20, 40, 80, 160, 320, 600, 600] {
            let started = tokio::time::Instant::now();
            let error = silence.limits("SELECT 1", pending::<Result<()>>()).await.unwrap_err();
            assert!(error.is_temporary(), "{error}");
            assert_eq!(started.elapsed().as_secs(), seconds);
        }
        assert_eq!(silence.limit("SELECT 2"), Duration::from_secs(5));
        assert!(silence.gave_up(before) && !silence.gave_up(Instant::now() + Duration::from_secs(1)));
    }
}
