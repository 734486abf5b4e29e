//! How a run went over time: how much arrived each second, and how long after it was written.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::arrivals::{self, Arrival};
use super::scene::Destination;

/// Points of a curve, at most.
const POINTS: u64 = 120;
/// What a point stands for, at least.
const SHORTEST: u64 = 1_000_000;

/// The first arrivals of one store's messages at its endpoint.
#[derive(Debug)]
pub struct Series {
    store: &'static str,
    begun: u64,
    /// Microseconds of one point.
    width: u64,
    /// The lags of each point, in milliseconds.
    points: Vec<Vec<u64>>,
}

impl Series {
    /// Of a run that began then, in microseconds since 1970, and lasted so long.
    pub fn new(store: &'static str, destination: &Destination, begun: u64, lasted: Duration) -> Result<Self> {
        let width = (lasted.as_micros() as u64 / POINTS).max(SHORTEST);
        let points = vec![Vec::new(); (lasted.as_micros() as u64 / width) as usize];
        let mut series = Self { store, begun, width, points };
        let mut newest: HashMap<String, u64> = HashMap::new();
        arrivals::read(&destination.record, |arrival| {
            let last = newest.entry(arrival.key.to_owned()).or_default();
            if arrival.is_taken() && arrival.number > *last {
                *last = arrival.number;
                series.add(&arrival);
            }
        })?;
        Ok(series)
    }

    fn add(&mut self, arrival: &Arrival<'_>) {
        let point = arrival.at.checked_sub(self.begun).map(|after| after / self.width);
        let point = point.and_then(|point| self.points.get_mut(point as usize));
        if let (Some(point), Some(written)) = (point, arrival.written_micros()) {
            point.push(arrival.at.saturating_sub(written) / 1_000);
        }
    }

    pub fn json(&self) -> Value {
        let seconds = self.width as f64 / 1e6;
        let rate: Vec<u64> = self.points.iter().map(|lags| (lags.len() as f64 / seconds).round() as u64).collect();
        let lag = |part: f64| self.points.iter().map(|lags| quantile(lags, part)).collect::<Vec<_>>();
        json!({
            "store": self.store, "seconds_of_a_point": seconds, "rate": rate, "lag_p50_ms": lag(0.5), "lag_max_ms": lag(1.0),
        })
    }
}

/// What this part of them is not above; none if there are none.
pub fn quantile(values: &[u64], part: f64) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(((sorted.len() as f64 - 1.0) * part).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[30, 10, 20], 0.5), Some(20));
        assert_eq!(quantile(&[30, 10, 20], 1.0), Some(30));
    }
}
