//! Figures over time, kept in memory: every second for ten minutes, and coarser up to a day.
//!
//! A pure structure: whoever records brings the second. What is not known has no point, which is not the same as zero.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

/// How fine and how long the figures are kept.
const LEVELS: [Level; 3] = [
    Level { window: "10m", step: 1, points: 600 },
    Level { window: "1h", step: 10, points: 360 },
    Level { window: "24h", step: 120, points: 720 },
];

/// Destinations that figures are kept of; more are in the overview alone.
const MOST_DESTINATIONS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    pub window: &'static str,
    pub step: u64,
    pub points: usize,
}

impl Level {
    pub fn of(window: &str) -> Option<(usize, Self)> {
        LEVELS.into_iter().enumerate().find(|(_, level)| level.window == window)
    }
}

/// One destination in one second, or in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    pub traffic: Option<Traffic>,
    pub state: Option<State>,
}

/// What this relay did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Traffic {
    pub seconds: f64,
    pub delivered: u64,
    pub failed: u64,
    pub answers: u64,
    pub answers_ms: f64,
    pub slowest_ms: f64,
}

/// What the store had.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct State {
    pub pending: u64,
    pub oldest_pending_seconds: Option<f64>,
    pub dead: u64,
    pub held_keys: u64,
}

impl Sample {
    fn add(&mut self, later: Sample) {
        self.traffic = match (self.traffic, later.traffic) {
            (Some(a), Some(b)) => Some(Traffic {
                seconds: a.seconds + b.seconds,
                delivered: a.delivered + b.delivered,
                failed: a.failed + b.failed,
                answers: a.answers + b.answers,
                answers_ms: a.answers_ms + b.answers_ms,
                slowest_ms: a.slowest_ms.max(b.slowest_ms),
            }),
            (a, b) => b.or(a),
        };
        self.state = later.state.or(self.state);
    }
}

impl Traffic {
    pub fn delivered_per_second(&self) -> f64 {
        self.delivered as f64 / self.seconds.max(1.0)
    }

    /// The mean.
    pub fn latency_ms(&self) -> Option<f64> {
        (self.answers > 0).then(|| self.answers_ms / self.answers as f64)
    }
}

/// Samples by step number, oldest first.
type Ring = VecDeque<(u64, Sample)>;

/// All figures of all destinations.
#[derive(Debug, Default)]
pub struct Series(BTreeMap<String, [Ring; LEVELS.len()]>);

/// The figures of one destination, each with a place for every step.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Lines {
    pub destination: String,
    pub delivered_per_second: Vec<Option<f64>>,
    pub failed_per_second: Vec<Option<f64>>,
    pub pending: Vec<Option<u64>>,
    pub oldest_pending_seconds: Vec<Option<f64>>,
    pub dead: Vec<Option<u64>>,
    pub held_keys: Vec<Option<u64>>,
    pub latency_ms: Vec<Option<f64>>,
    pub latency_max_ms: Vec<Option<f64>>,
}

impl Series {
    /// Takes note of a destination in one second since 1970. Seconds come in order; one that comes twice is added up.
    pub fn record(&mut self, second: u64, destination: &str, sample: Sample) {
        if !self.0.contains_key(destination) {
            if self.0.len() >= MOST_DESTINATIONS {
                return;
            }
            self.0.insert(destination.to_owned(), Default::default());
        }
        let Some(rings) = self.0.get_mut(destination) else { return };
        for (ring, level) in rings.iter_mut().zip(LEVELS) {
            let step = second / level.step;
            match ring.back_mut().filter(|(newest, _)| *newest >= step) {
                Some((_, newest)) => newest.add(sample),
                None => ring.push_back((step, sample)),
            }
            while ring.front().is_some_and(|(oldest, _)| oldest + level.points as u64 <= step) {
                ring.pop_front();
            }
        }
    }

    /// Everything of the last so many seconds together, from the finest figures.
    pub fn latest(&self, now: u64, destination: &str, seconds: u64) -> Sample {
        let mut sum = Sample::default();
        if let Some([finest, ..]) = self.0.get(destination) {
            finest.iter().filter(|(second, _)| second + seconds > now).for_each(|(_, sample)| sum.add(*sample));
        }
        sum
    }

    /// The window that ends now, of one destination or of all; and when its first step begins.
    pub fn window(&self, now: u64, place: usize, level: Level, only: Option<&str>) -> (u64, Vec<Lines>) {
        let first = (now / level.step + 1).saturating_sub(level.points as u64);
        let wanted = self.0.iter().filter(|(name, _)| only.is_none_or(|only| only == *name));
        let lines = wanted.map(|(name, rings)| lines(name, &rings[place], first, level)).collect();
        (first * level.step, lines)
    }

    /// Deliveries a second, one point for each of the last minutes.
    pub fn sparkline(&self, now: u64, destination: &str, minutes: usize) -> Vec<Option<f64>> {
        let mut sums: Vec<Option<Traffic>> = vec![None; minutes];
        let first = (now / 60 + 1).saturating_sub(minutes as u64);
        for (step, sample) in self.0.get(destination).iter().flat_map(|rings| &rings[1]) {
            let minute = step * LEVELS[1].step / 60;
            let place = minute.checked_sub(first).and_then(|place| sums.get_mut(place as usize));
            if let (Some(place), Some(_)) = (place, sample.traffic) {
                let mut sum = Sample { traffic: *place, state: None };
                sum.add(*sample);
                *place = sum.traffic;
            }
        }
        sums.into_iter().map(|sum| sum.map(|traffic| traffic.delivered_per_second())).collect()
    }
}

fn lines(name: &str, ring: &Ring, first: u64, level: Level) -> Lines {
    let mut samples = vec![Sample::default(); level.points];
    for (step, sample) in ring {
        if let Some(place) = step.checked_sub(first).and_then(|place| samples.get_mut(place as usize)) {
            *place = *sample;
        }
    }
    let traffic = |of: fn(&Traffic) -> Option<f64>| samples.iter().map(|sample| of(&sample.traffic?)).collect();
    let state = |of: fn(&State) -> u64| samples.iter().map(|sample| Some(of(&sample.state?))).collect();
    Lines {
        destination: name.to_owned(),
        delivered_per_second: traffic(|some| Some(some.delivered_per_second())),
        failed_per_second: traffic(|some| Some(some.failed as f64 / some.seconds.max(1.0))),
        pending: state(|some| some.pending),
        oldest_pending_seconds: samples
            .iter()
            .map(|sample| sample.state.map(|state| state.oldest_pending_seconds.unwrap_or_default()))
            .collect(),
        dead: state(|some| some.dead),
        held_keys: state(|some| some.held_keys),
        latency_ms: traffic(Traffic::latency_ms),
        latency_max_ms: traffic(|some| (some.answers > 0).then_some(some.slowest_ms)),
    }
}

#[cfg(test)]
mod tests;
