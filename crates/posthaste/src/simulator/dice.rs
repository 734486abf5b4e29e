//! Chance that repeats itself: everything random in a schedule comes from its seed, or from a list of choices.

use std::time::Duration;

use super::choices::Choices;

/// A wait whose length decides what comes before what. Shorter ones are as short as they can be when choices are listed.
const WIDE: Duration = Duration::from_millis(100);

/// Answers whatever a schedule leaves open.
#[derive(Debug, Clone)]
pub(super) enum Dice {
    /// A small deterministic generator (SplitMix64).
    Drawn(u64),
    /// As a list says.
    Listed(Choices),
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self::Drawn(seed)
    }

    /// Any number.
    pub(super) fn next(&mut self) -> u64 {
        match self {
            Self::Drawn(state) => split_mix(state),
            Self::Listed(_) => 0,
        }
    }

    /// Uniform in `0..n`.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        match self {
            Self::Drawn(state) => split_mix(state) % n.max(1),
            Self::Listed(choices) => choices.detail(n),
        }
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        match self {
            Self::Drawn(state) => split_mix(state) % 100 < percent,
            Self::Listed(choices) => percent > 0 && choices.happens(),
        }
    }

    /// Between the two, in whole microseconds.
    pub(super) fn between(&mut self, from: Duration, to: Duration) -> Duration {
        let span = to.saturating_sub(from);
        match self {
            Self::Drawn(state) => from + Duration::from_micros(split_mix(state) % (span.as_micros() as u64 + 1)),
            Self::Listed(_) if span < WIDE => from,
            Self::Listed(choices) => from + span * choices.detail(2) as u32,
        }
    }

    pub(super) fn millis(&mut self, from: u64, to: u64) -> Duration {
        self.between(Duration::from_millis(from), Duration::from_millis(to))
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
