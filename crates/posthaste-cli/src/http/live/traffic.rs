//! What a relay did since it was last looked at.

use std::collections::HashMap;

use posthaste::relay::{DestinationSnapshot, Histogram, Monitor};

use super::series::Traffic;

/// The counters of a relay as they were.
#[derive(Debug, Default)]
pub struct Counters(HashMap<String, (u64, u64, Histogram)>);

impl Counters {
    /// What was counted since the last call, which was so many seconds ago. Nothing for a destination that is new. A counter that went
    /// back was begun anew with another relay, when the config was read again.
    pub fn since_last(&mut self, monitor: &Monitor, seconds: f64) -> Vec<(String, Traffic)> {
        let (snapshot, tally) = (monitor.snapshot(), monitor.tally());
        let mut found = Vec::new();
        for (place, seen) in snapshot.destinations.iter().enumerate() {
            let DestinationSnapshot { name, delivered, failed, .. } = seen;
            let histogram = tally.deliveries.get(place).cloned().unwrap_or_default();
            let now = (*delivered, *failed, histogram);
            let before = self.0.insert(name.clone(), now.clone());
            if let Some(before) = before {
                found.push((name.clone(), between(&before, &now, seconds)));
            }
        }
        found
    }
}

fn between(before: &(u64, u64, Histogram), now: &(u64, u64, Histogram), seconds: f64) -> Traffic {
    let anew = now.0 < before.0 || now.2.count() < before.2.count();
    let (nothing, zero) = (Histogram::default(), (0, 0));
    let (delivered, failed) = if anew { zero } else { (before.0, before.1) };
    let answered = if anew { &nothing } else { &before.2 };
    Traffic {
        seconds,
        delivered: now.0 - delivered,
        failed: now.1.saturating_sub(failed),
        answers: now.2.count() - answered.count(),
        answers_ms: now.2.sum().saturating_sub(answered.sum()).as_secs_f64() * 1_000.0,
        slowest_ms: slowest_ms(answered, &now.2),
    }
}

/// The bound of the slowest answer's bucket: it took no longer, unless it took longer than all bounds.
fn slowest_ms(before: &Histogram, now: &Histogram) -> f64 {
    let counted = now.count() - before.count();
    let pairs = before.cumulative().zip(now.cumulative());
    let bound = pairs.map(|((bound, before), (_, now))| (bound, now - before)).find(|(_, upto)| *upto == counted);
    bound.map_or(Histogram::BOUNDS_SECONDS[Histogram::BOUNDS_SECONDS.len() - 1], |(bound, _)| bound) * 1_000.0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn counted(delivered: u64, millis: &[u64]) -> (u64, u64, Histogram) {
        let mut histogram = Histogram::default();
        millis.iter().for_each(|millis| histogram.observe(Duration::from_millis(*millis)));
        (delivered, 0, histogram)
    }

    #[test]
    fn only_what_is_new_counts() {
        let traffic = between(&counted(5, &[2_000]), &counted(8, &[2_000, 2, 7]), 1.0);
        assert_eq!((traffic.delivered, traffic.answers, traffic.slowest_ms), (3, 2, 10.0));
        assert!((traffic.answers_ms - 9.0).abs() < 0.001);
    }

    #[test]
    fn a_relay_that_began_anew_counts_from_its_beginning() {
        let traffic = between(&counted(500, &[2, 2, 2]), &counted(8, &[40_000]), 1.0);
        assert_eq!((traffic.delivered, traffic.answers, traffic.slowest_ms), (8, 1, 30_000.0));
    }
}
