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

#[cfg(test)]
mod tests {
    use super::*;

    /// However long it was away, so that delivery resumes soon after its return.
    #[test]
    fn a_destination_that_is_away_is_asked_every_second_and_delivered_to_when_it_is_back() {
        let (mut breaker, mut now) = (Breaker::default(), Duration::ZERO);
        assert!(breaker.unreachable(now, "down"), "that is news");
        while now < Duration::from_secs(3_600) {
            let probe_at = breaker.probe_at().expect("it is asked again");
            assert!(probe_at - now <= Duration::from_secs(1), "at {now:?}");
            now = probe_at;
            breaker.probing();
            assert!(!breaker.unreachable(now, "down"), "that is not");
            assert!(!breaker.allows());
        }
        breaker.probing();
        breaker.probe_succeeded();
        assert!(breaker.allows(), "one run goes at once");
        breaker.handed_over();
        assert!(!breaker.allows());
        breaker.reached();
        assert!(breaker.allows() && breaker.outage().is_none());
    }

    #[test]
    fn a_destination_that_fails_the_first_run_is_out_of_reach_again_and_that_is_no_news() {
        let mut breaker = Breaker::default();
        breaker.unreachable(Duration::ZERO, "down");
        breaker.probing();
        breaker.probe_succeeded();
        breaker.handed_over();
        assert!(!breaker.unreachable(Duration::from_secs(1), "down after all"));
        assert_eq!(breaker.outage(), Some("down after all"));
        assert_eq!(breaker.probe_at(), Some(Duration::from_millis(1_500)));
    }

    #[test]
    fn the_run_that_went_first_and_came_back_without_answer_goes_again() {
        let mut breaker = Breaker::default();
        breaker.handed_over();
        assert!(breaker.allows(), "any number may go while nothing is wrong");
        breaker.given_back();
        breaker.reached();
        breaker.probe_succeeded();
        assert!(breaker.allows() && breaker.outage().is_none(), "and answers are no news");
        breaker.unreachable(Duration::ZERO, "down");
        breaker.reached();
        assert_eq!(breaker.outage(), Some("down"), "an answer to an earlier run says nothing");
        breaker.probing();
        breaker.probe_succeeded();
        breaker.handed_over();
        breaker.given_back();
        assert!(breaker.allows());
    }

    #[test]
    fn an_outage_is_known_by_its_first_error_and_asked_about_at_growing_intervals() {
        let mut breaker = Breaker::default();
        breaker.unreachable(Duration::ZERO, "down");
        assert!(!breaker.unreachable(Duration::from_millis(5), "another run that met it"));
        assert_eq!((breaker.outage(), breaker.probe_at()), (Some("down"), Some(Duration::from_millis(250))));
        let mut pauses = Vec::new();
        for second in 1..5 {
            breaker.probing();
            assert_eq!(breaker.probe_at(), None, "one question at a time");
            breaker.unreachable(Duration::from_secs(second), "down");
            pauses.push((breaker.probe_at().unwrap() - Duration::from_secs(second)).as_millis());
        }
        assert_eq!(pauses, [500, 1_000, 1_000, 1_000]);
    }
}
