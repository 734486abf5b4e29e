//! What becomes of a delivery that failed: the rule [`decide`], and what only the destination's state can tell.

use crate::destination::Destination;
use crate::engine::lane::key_queue::QueuedMessage;
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::retry::Verdict;
use crate::rules::decide::{Decision, decide};

/// A message for which alone the destination seems out of reach so often is to blame itself.
const STRIKES: u32 = 3;

/// Decides about failed deliveries of one destination.
#[derive(Debug)]
pub(super) struct Judge {
    jitter: u64,
    mistakes: Mistakes,
}

impl Judge {
    /// The seed feeds the jitter of retries.
    pub(super) fn new(seed: u64, mistakes: Mistakes) -> Self {
        Self { jitter: seed, mistakes }
    }

    /// What becomes of a message whose delivery failed. `delivered` counts what the destination has taken so far.
    pub(super) fn decide(
        &mut self,
        dest: &Destination,
        message: &mut QueuedMessage,
        verdict: Verdict,
        delivered: u64,
    ) -> Decision {
        let max_attempts = message.message.max_attempts.unwrap_or(dest.policy.max_attempts);
        let verdict = self.interpret(message, verdict, delivered);
        decide(verdict, message.attempts + 1, max_attempts, &dest.policy, self.next_jitter())
    }

    /// An outage that only one message meets, while others are delivered, is that message's failure.
    fn interpret(&self, message: &mut QueuedMessage, verdict: Verdict, delivered: u64) -> Verdict {
        if verdict != Verdict::Unreachable {
            return verdict;
        }
        let history = message.history.get_or_insert_default();
        if history.delivered_at_strike.is_some_and(|before| before < delivered) {
            history.strikes += 1;
        }
        history.delivered_at_strike = Some(delivered);
        let spent = history.strikes >= STRIKES || self.mistakes.has(Mistake::OutageSpendsAttempts);
        if spent { Verdict::Retry } else { verdict }
    }

    /// Uniform in `[0, 1)` (SplitMix64), from the seed the engine was given.
    fn next_jitter(&mut self) -> f64 {
        self.jitter = self.jitter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.jitter;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
