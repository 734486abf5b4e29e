//! What becomes of a delivery that failed. The only place that chooses.

use std::time::Duration;

use crate::retry::{LONGEST_RETRY_AFTER, Policy, Verdict};

/// What becomes of a delivery that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Parked, again after this long. Spends an attempt.
    Retry {
        /// How long to wait.
        after: Duration,
    },
    /// Parked for a person.
    Dead,
    /// Nothing is held against the message; the lane pauses until the destination is back.
    Outage,
    /// Nothing is held against the message; the destination is paused until someone resumes it.
    Pause,
}

/// Chooses. `attempts` counts this failure too; `max_attempts` is the message's own limit or the policy's.
pub fn decide(verdict: Verdict, attempts: u32, max_attempts: u32, policy: &Policy, jitter: f64) -> Decision {
    match verdict {
        Verdict::Unreachable => Decision::Outage,
        Verdict::Gone => Decision::Pause,
        Verdict::Reject => Decision::Dead,
        Verdict::Retry | Verdict::RetryAfter(_) if attempts >= max_attempts => Decision::Dead,
        Verdict::Retry => Decision::Retry { after: policy.backoff.delay(attempts, jitter) },
        Verdict::RetryAfter(after) => Decision::Retry { after: after.min(LONGEST_RETRY_AFTER) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_outage_spends_no_attempt_a_reject_is_dead_and_the_last_attempt_is_the_last() {
        let policy = Policy { max_attempts: 3, ..Policy::default() };
        let decision = |verdict, attempts| decide(verdict, attempts, policy.max_attempts, &policy, 0.0);
        assert_eq!(decision(Verdict::Unreachable, 99), Decision::Outage);
        assert_eq!(decision(Verdict::Gone, 99), Decision::Pause);
        assert_eq!(decision(Verdict::Reject, 1), Decision::Dead);
        assert_eq!(decision(Verdict::Retry, 2), Decision::Retry { after: 2 * SECOND });
        assert_eq!(decision(Verdict::Retry, 3), Decision::Dead);
        assert_eq!(decision(Verdict::RetryAfter(9 * SECOND), 1), Decision::Retry { after: 9 * SECOND });
        assert_eq!(decision(Verdict::RetryAfter(Duration::MAX), 1), Decision::Retry { after: LONGEST_RETRY_AFTER });
    }
}
