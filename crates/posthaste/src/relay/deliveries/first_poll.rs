//! Where a sink's delivery is polled first: on the relay's own loop, or in a task.
//!
//! A sink that answers in memory costs least on the loop: no task, no channel, no other thread. A sink that has to wait gains
//! nothing there, and one that computes or blocks would hold up every other destination. A sink says nothing about itself; its
//! last deliveries do.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// So many deliveries in a row must have been answered at their first poll, before the next one is polled on the loop.
const PROVEN: u32 = 64;
/// A first poll that took this long computed or blocked.
const BLOCKING: Duration = Duration::from_millis(50);
/// Stands for a sink that blocked once: it never comes to the loop again.
const NEVER: u32 = u32::MAX;

/// What a destination's first polls came to.
#[derive(Debug, Default)]
pub(super) struct FirstPolls {
    /// How many in a row were answered at once, or [`NEVER`].
    at_once: AtomicU32,
}

impl FirstPolls {
    /// Whether the next delivery may be polled on the relay's loop.
    pub(super) fn may_run_on_loop(&self) -> bool {
        (PROVEN..NEVER).contains(&self.at_once.load(Ordering::Relaxed))
    }

    /// Takes note of a first poll: whether it had the answer, and how long it took.
    pub(super) fn observe(&self, answered: bool, took: Duration) {
        let before = self.at_once.load(Ordering::Relaxed);
        let after = match before {
            _ if took >= BLOCKING || before == NEVER => NEVER,
            _ if answered => (before + 1).min(PROVEN),
            _ => 0,
        };
        if after != before {
            self.at_once.store(after, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_micros(3);

    fn proven() -> FirstPolls {
        let polls = FirstPolls::default();
        for _ in 0..PROVEN {
            assert!(!polls.may_run_on_loop(), "a sink nobody knows yet gets a task");
            polls.observe(true, QUICK);
        }
        assert!(polls.may_run_on_loop());
        polls
    }

    #[test]
    fn a_sink_that_answers_at_once_comes_to_the_loop_until_it_has_to_wait() {
        let polls = proven();
        polls.observe(true, QUICK);
        assert!(polls.may_run_on_loop());
        polls.observe(false, QUICK);
        assert!(!polls.may_run_on_loop());
    }

    #[test]
    fn a_sink_that_blocked_once_never_comes_to_the_loop_again() {
        let polls = proven();
        polls.observe(true, BLOCKING);
        for _ in 0..2 * PROVEN {
            polls.observe(true, QUICK);
            assert!(!polls.may_run_on_loop());
        }
    }
}
