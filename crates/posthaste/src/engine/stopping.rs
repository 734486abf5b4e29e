//! The graceful stop of a worker.

use std::time::Duration;

/// How far a stop has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// Finishes what is in flight and records it.
    Finishing {
        since: Duration,
    },
    /// Gives the leases back.
    Leaving {
        since: Duration,
    },
    Ended,
}

/// The graceful stop of a worker.
#[derive(Debug)]
pub(super) struct Stopping {
    timeout: Duration,
    state: State,
}

impl Stopping {
    /// Waits for what is in flight for `timeout` at most, and for the last commits as long again.
    pub(super) fn new(timeout: Duration) -> Self {
        Self { timeout, state: State::Running }
    }

    /// The worker is asked to stop.
    pub(super) fn begin(&mut self, now: Duration) {
        if self.state == State::Running {
            self.state = State::Finishing { since: now };
        }
    }

    /// The worker was asked to stop.
    pub(super) fn has_begun(&self) -> bool {
        self.state != State::Running
    }

    /// Something is still to be finished.
    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Finishing { .. })
    }

    fn since(&self) -> Option<Duration> {
        match self.state {
            State::Finishing { since } | State::Leaving { since } => Some(since),
            State::Running | State::Ended => None,
        }
    }

    /// What is in flight is waited for no longer.
    pub(super) fn gives_up_deliveries(&self, now: Duration) -> bool {
        self.since().is_some_and(|since| now >= since + self.timeout)
    }

    /// The last commits are waited for no longer.
    pub(super) fn gives_up_commits(&self, now: Duration) -> bool {
        self.since().is_some_and(|since| now >= since + 2 * self.timeout)
    }

    /// When one of the limits is reached.
    pub(super) fn wake_at(&self, now: Duration) -> Option<Duration> {
        let since = self.since()?;
        [since + self.timeout, since + 2 * self.timeout].into_iter().find(|at| *at > now)
    }

    /// The leases are given back.
    pub(super) fn leave(&mut self) {
        if let State::Finishing { since } = self.state {
            self.state = State::Leaving { since };
        }
    }

    /// The store knows that the worker is gone, or cannot be told.
    pub(super) fn end(&mut self) {
        self.state = State::Ended;
    }

    /// Everything is given back.
    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Ended
    }
}
