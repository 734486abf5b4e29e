//! How long things took.

use std::time::Duration;

/// Counts of durations by upper bound.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram {
    /// The last one is for what exceeds every bound.
    counts: [u64; Self::BOUNDS_SECONDS.len() + 1],
    sum: Duration,
}

impl Histogram {
    /// From a local database to the patience of a usual timeout.
    pub const BOUNDS_SECONDS: [f64; 14] =
        [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

    /// Adds one duration.
    pub fn observe(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = Self::BOUNDS_SECONDS.partition_point(|bound| *bound < seconds);
        self.counts[bucket] += 1;
        self.sum += took;
    }

    /// How many durations there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All of them together.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// With each bound: how many took no longer.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let mut total = 0;
        Self::BOUNDS_SECONDS.into_iter().zip(&self.counts).map(move |(bound, count)| {
            total += count;
            (bound, total)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_up_to_the_first_bound_that_it_does_not_exceed() {
        let mut histogram = Histogram::default();
        for millis in [1, 2, 40, 60_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let cumulative: Vec<(f64, u64)> = histogram.cumulative().collect();
        assert_eq!(cumulative[0], (0.001, 1));
        assert_eq!(cumulative[1], (0.0025, 2));
        assert_eq!(cumulative[5], (0.05, 3));
        assert_eq!(cumulative[13], (30.0, 3));
        assert_eq!((histogram.count(), histogram.sum()), (4, Duration::from_millis(60_043)));
    }
}
