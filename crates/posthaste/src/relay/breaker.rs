//! Whether a destination is within reach.
//!
//! ```text
//!   closed ──unreachable──► open ──time──► probing ──ok──► half open ──delivered──► closed
//!                            ▲               │ failed          │ unreachable
//!                            └───────────────┴─────────────────┘
//! ```
//! An outage spends no attempts: what met it goes again when the breaker closes.

use std::time::Duration;

const FIRST_PROBE: Duration = Duration::from_millis(250);
/// Delivery resumes this soon after the destination is back.
const MAX_PROBE: Duration = Duration::from_secs(1);

#[derive(Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open {
        probe_at: Duration,
    },
    Probing,
    /// The probe succeeded; one run goes first.
    HalfOpen {
        trying: bool,
    },
}

#[derive(Debug)]
pub(super) struct Breaker {
    state: State,
    pause: Duration,
    error: String,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { state: State::Closed, pause: FIRST_PROBE, error: String::new() }
    }
}

impl Breaker {
    /// Whether a run may be handed over now.
    pub(super) fn allows(&self) -> bool {
        matches!(self.state, State::Closed | State::HalfOpen { trying: false })
    }

    /// A run is handed over.
    pub(super) fn handed_over(&mut self) {
        if let State::HalfOpen { trying } = &mut self.state {
            *trying = true;
        }
    }

    /// The run that went first came back without an answer, because its lane is gone.
    pub(super) fn given_back(&mut self) {
        if let State::HalfOpen { trying } = &mut self.state {
            *trying = false;
        }
    }

    /// The destination answered, with whatever.
    pub(super) fn reached(&mut self) {
        if matches!(self.state, State::HalfOpen { .. }) {
            *self = Self::default();
        }
    }

    /// The destination could not be reached. True when that is news.
    pub(super) fn unreachable(&mut self, now: Duration, error: &str) -> bool {
        let news = self.state == State::Closed;
        if matches!(self.state, State::Closed | State::HalfOpen { .. } | State::Probing) {
            self.state = State::Open { probe_at: now + self.pause };
            self.pause = (self.pause * 2).min(MAX_PROBE);
            self.error = error.to_owned();
        }
        news
    }

    /// When to probe next.
    pub(super) fn probe_at(&self) -> Option<Duration> {
        match self.state {
            State::Open { probe_at } => Some(probe_at),
            _ => None,
        }
    }

    pub(super) fn probing(&mut self) {
        self.state = State::Probing;
    }

    pub(super) fn probe_succeeded(&mut self) {
        if self.state == State::Probing {
            self.state = State::HalfOpen { trying: false };
        }
    }

    /// The error that opened it, while it is not closed.
    pub(super) fn outage(&self) -> Option<&str> {
        (self.state != State::Closed).then_some(self.error.as_str())
    }
}
