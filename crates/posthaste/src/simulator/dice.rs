//! Chance that repeats itself: everything random in a schedule comes from its seed.

use std::time::Duration;

/// A small deterministic generator (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0..n`.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Between the two, in whole microseconds.
    pub(super) fn between(&mut self, from: Duration, to: Duration) -> Duration {
        let span = to.saturating_sub(from).as_micros() as u64;
        from + Duration::from_micros(self.below(span + 1))
    }

    pub(super) fn millis(&mut self, from: u64, to: u64) -> Duration {
        self.between(Duration::from_millis(from), Duration::from_millis(to))
    }
}
