//! How a destination treats failures. What becomes of a delivery that failed is decided in [`crate::rules::decide`].

use std::time::Duration;

/// The longest wait a destination can ask for. One that says next century, by malice or by mistake, is asked again tomorrow.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// What a sink says an error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// This message failed; later it may not.
    Retry,
    /// As `Retry`, and the destination said when to come back; see [`LONGEST_RETRY_AFTER`].
    RetryAfter(Duration),
    /// This message will never be accepted.
    Reject,
    /// The destination is out of reach for everyone; says nothing about this message.
    Unreachable,
    /// The destination wants no more messages, whichever, until a person has looked into it.
    Gone,
}

/// How long to wait before the next attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backoff {
    /// `min(first · 2^(n-1), cap) + [0..jitter]`
    Exponential {
        /// The wait after the first failure.
        first: Duration,
        /// The longest wait, without jitter.
        cap: Duration,
        /// A random part of this is added.
        jitter: Duration,
    },
    /// `step · n`, up to the cap.
    Linear {
        /// The wait after the first failure, and what each further one adds.
        step: Duration,
        /// The longest wait.
        cap: Duration,
    },
    /// These, one after another; the last repeats.
    List(Vec<Duration>),
}

impl Backoff {
    /// `min(60s · 2^(n-1), 15m) + [0..10s]`, for destinations on the far side of the internet.
    pub fn patient() -> Self {
        Self::Exponential {
            first: Duration::from_secs(60),
            cap: Duration::from_secs(15 * 60),
            jitter: Duration::from_secs(10),
        }
    }

    /// Wait before the attempt that follows the `attempts`-th failure. `jitter` is in `[0, 1)`.
    pub fn delay(&self, attempts: u32, jitter: f64) -> Duration {
        let attempts = attempts.max(1);
        match self {
            Self::Exponential { first, cap, jitter: spread } => {
                let doubled = first.saturating_mul(1u32.checked_shl(attempts - 1).unwrap_or(u32::MAX));
                doubled.min(*cap) + spread.mul_f64(jitter.clamp(0.0, 1.0))
            }
            Self::Linear { step, cap } => step.saturating_mul(attempts).min(*cap),
            Self::List(delays) => {
                let last = delays.len().saturating_sub(1);
                delays.get((attempts as usize - 1).min(last)).copied().unwrap_or_default()
            }
        }
    }
}

impl Default for Backoff {
    /// One second, doubling up to five minutes, with a second of jitter.
    fn default() -> Self {
        Self::Exponential {
            first: Duration::from_secs(1),
            cap: Duration::from_secs(300),
            jitter: Duration::from_secs(1),
        }
    }
}

/// What a dead message does to the later ones of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDead {
    /// They wait, in order, until someone replays or discards it.
    #[default]
    Block,
    /// They go on without it.
    Skip,
}

/// How a destination treats failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Attempts before a message is dead, the first one included.
    pub max_attempts: u32,
    /// How long to wait between two attempts.
    pub backoff: Backoff,
    /// What a dead message does to the later ones of its key.
    pub on_dead: OnDead,
}

impl Default for Policy {
    fn default() -> Self {
        Self { max_attempts: 10, backoff: Backoff::default(), on_dead: OnDead::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_patient_preset_doubles_from_a_minute_to_fifteen_with_ten_seconds_of_jitter() {
        let backoff = Backoff::patient();
        let minutes: Vec<u64> = (1..=7).map(|n| backoff.delay(n, 0.0).as_secs() / 60).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(backoff.delay(1, 0.5), Duration::from_secs(65));
        assert_eq!(backoff.delay(u32::MAX, 0.0), Duration::from_secs(900));
    }

    #[test]
    fn a_linear_backoff_grows_by_its_step_up_to_its_cap() {
        let backoff = Backoff::Linear { step: SECOND, cap: 3 * SECOND };
        assert_eq!((1..=4).map(|n| backoff.delay(n, 0.9).as_secs()).collect::<Vec<_>>(), [1, 2, 3, 3]);
    }

    #[test]
    fn a_list_repeats_its_last_delay() {
        let backoff = Backoff::List(vec![SECOND, 5 * SECOND]);
        assert_eq!((1..=3).map(|n| backoff.delay(n, 0.0).as_secs()).collect::<Vec<_>>(), [1, 5, 5]);
        assert_eq!(Backoff::List(vec![]).delay(1, 0.0), Duration::ZERO);
    }
}
