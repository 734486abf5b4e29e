//! How fast a destination or a tenant may be served.

use std::collections::HashMap;
use std::time::Duration;

use crate::destination::Rate;

/// How far apart deliveries are, and how much earlier than that they may come after a pause.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spacing {
    rate: Rate,
    share: f64,
    interval: Duration,
    tolerance: Duration,
}

impl Spacing {
    /// Of this part of a rate. However small it is, one delivery at a time may come at once.
    fn of(rate: Rate, share: f64) -> Self {
        let per_second = (rate.per_second * share).max(f64::MIN_POSITIVE).clamp(1e-6, 1e9);
        let interval = Duration::from_secs_f64(1.0 / per_second);
        let burst = (f64::from(rate.burst) * share) as u32;
        Self { rate, share, interval, tolerance: interval * burst.saturating_sub(1) }
    }

    fn share(&mut self, share: f64) {
        if share > 0.0 && share != self.share {
            *self = Self::of(self.rate, share);
        }
    }
}

/// How fast a destination may be served: whoever comes too early waits where it is (generic cell rate algorithm).
#[derive(Debug)]
pub(super) struct Pace {
    spacing: Spacing,
    /// When the destination would be idle again if it were served at exactly its rate.
    next: Duration,
}

impl Pace {
    pub(super) fn new(rate: Rate) -> Self {
        Self { spacing: Spacing::of(rate, 1.0), next: Duration::ZERO }
    }

    /// This worker has so much of the rate from now on.
    pub(super) fn share(&mut self, share: f64) {
        self.spacing.share(share);
    }

    /// When the next message may go.
    pub(super) fn opens_at(&self) -> Duration {
        self.next.saturating_sub(self.spacing.tolerance)
    }

    pub(super) fn spend(&mut self, now: Duration, messages: usize) {
        self.next = self.next.max(now) + self.spacing.interval * u32::try_from(messages).unwrap_or(u32::MAX);
    }
}

/// How fast each tenant may go: every message reserves its turn. The turns given out so far, by tenant.
#[derive(Debug)]
pub(super) struct Rates {
    spacing: Spacing,
    /// When the tenant would be idle again if it went at exactly its rate.
    next: HashMap<String, Duration>,
}

/// Tenants to remember before those that are idle are dropped.
const PRUNE_ABOVE: usize = 1_024;

impl Rates {
    pub(super) fn new(rate: Rate) -> Self {
        Self { spacing: Spacing::of(rate, 1.0), next: HashMap::new() }
    }

    /// This worker has so much of the rate from now on.
    pub(super) fn share(&mut self, share: f64) {
        self.spacing.share(share);
    }

    /// Reserves a turn for the tenant and says how long until it comes.
    pub(super) fn reserve(&mut self, tenant: &str, now: Duration) -> Duration {
        if self.next.len() > PRUNE_ABOVE && !self.next.contains_key(tenant) {
            self.next.retain(|_, next| *next > now);
        }
        let next = self.next.entry(tenant.to_owned()).or_default();
        let turn = (*next).max(now);
        *next = turn + self.spacing.interval;
        turn.saturating_sub(now + self.spacing.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_opens_after_its_burst_at_its_rate() {
        let mut pace = Pace::new(Rate { per_second: 10.0, burst: 3 });
        let now = Duration::from_secs(1);
        for opens_at in [0, 900, 1_000, 1_100] {
            assert_eq!(pace.opens_at().as_millis(), opens_at);
            pace.spend(now, 1);
        }
        pace.spend(now, 5);
        assert_eq!(pace.opens_at().as_millis(), 1_700);
    }

    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        let mut rates = Rates::new(Rate { per_second: 10.0, burst: 3 });
        let waits: Vec<u128> = (0..6).map(|_| rates.reserve("a", Duration::ZERO).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 100, 200, 300]);
        assert_eq!(rates.reserve("b", Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn the_parts_of_a_rate_are_no_more_than_the_whole() {
        let mut pace = Pace::new(Rate { per_second: 10.0, burst: 4 });
        pace.share(0.5);
        let now = Duration::from_secs(10);
        let opened = (0..4).map(|_| {
            pace.spend(now, 1);
            pace.opens_at().as_millis()
        });
        assert_eq!(opened.collect::<Vec<_>>(), [10_000, 10_200, 10_400, 10_600], "a burst of two, then five a second");
        let mut rates = Rates::new(Rate { per_second: 10.0, burst: 1 });
        rates.share(0.1);
        let waits: Vec<u128> = (0..3).map(|_| rates.reserve("a", now).as_millis()).collect();
        assert_eq!(waits, [0, 1_000, 2_000]);
    }

    #[test]
    fn an_idle_tenant_gets_its_burst_back() {
        let mut rates = Rates::new(Rate { per_second: 10.0, burst: 2 });
        for _ in 0..5 {
            rates.reserve("a", Duration::ZERO);
        }
        let later = Duration::from_secs(10);
        assert_eq!([rates.reserve("a", later), rates.reserve("a", later)], [Duration::ZERO; 2]);
        assert_eq!(rates.reserve("a", later), Duration::from_millis(100));
    }

    #[test]
    fn tenants_that_are_idle_are_forgotten_and_others_keep_their_turns() {
        let mut rates = Rates::new(Rate { per_second: 1.0, burst: 1 });
        for tenant in 0..=PRUNE_ABOVE {
            rates.reserve(&tenant.to_string(), Duration::ZERO);
        }
        rates.reserve("busy", Duration::from_millis(500));
        assert_eq!(rates.next.len(), PRUNE_ABOVE + 2, "none of them is idle");
        rates.reserve("busy", Duration::from_secs(1));
        assert_eq!(rates.next.len(), PRUNE_ABOVE + 2, "who is known needs no room");
        assert_eq!(rates.reserve("new", Duration::from_secs(1)), Duration::ZERO);
        assert_eq!(rates.next.len(), 2, "all others are idle");
        assert_eq!(rates.reserve("busy", Duration::from_secs(1)), Duration::from_millis(1_500));
    }

    #[test]
    fn a_worker_that_holds_nothing_keeps_the_part_that_it_had() {
        let mut pace = Pace::new(Rate { per_second: 10.0, burst: 1 });
        pace.share(0.5);
        pace.share(0.0);
        pace.spend(Duration::ZERO, 1);
        assert_eq!(pace.opens_at(), Duration::from_millis(200));
    }
}
