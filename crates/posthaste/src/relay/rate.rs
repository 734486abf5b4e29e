//! How fast a tenant may go: every message reserves its turn.

use std::collections::HashMap;
use std::time::Duration;

use crate::destination::TenantRate;

/// The turns given out so far, by tenant (generic cell rate algorithm).
#[derive(Debug)]
pub(super) struct Rates {
    interval: Duration,
    tolerance: Duration,
    /// When the tenant would be idle again if it went at exactly its rate.
    next: HashMap<String, Duration>,
}

/// Tenants to remember before those that are idle are dropped.
const PRUNE_ABOVE: usize = 1_024;

impl Rates {
    pub(super) fn new(rate: TenantRate) -> Self {
        let interval = Duration::from_secs_f64(1.0 / rate.per_second.max(f64::MIN_POSITIVE).clamp(1e-6, 1e9));
        Self { interval, tolerance: interval * rate.burst.saturating_sub(1), next: HashMap::new() }
    }

    /// Reserves a turn for the tenant and says how long until it comes.
    pub(super) fn reserve(&mut self, tenant: &str, now: Duration) -> Duration {
        if self.next.len() > PRUNE_ABOVE && !self.next.contains_key(tenant) {
            self.next.retain(|_, next| *next > now);
        }
        let next = self.next.entry(tenant.to_owned()).or_default();
        let turn = (*next).max(now);
        *next = turn + self.interval;
        turn.saturating_sub(now + self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        let mut rates = Rates::new(TenantRate { per_second: 10.0, burst: 3 });
        let waits: Vec<u128> = (0..6).map(|_| rates.reserve("a", Duration::ZERO).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 100, 200, 300]);
        assert_eq!(rates.reserve("b", Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn an_idle_tenant_gets_its_burst_back() {
        let mut rates = Rates::new(TenantRate { per_second: 10.0, burst: 2 });
        for _ in 0..5 {
            rates.reserve("a", Duration::ZERO);
        }
        let later = Duration::from_secs(10);
        assert_eq!([rates.reserve("a", later), rates.reserve("a", later)], [Duration::ZERO; 2]);
        assert_eq!(rates.reserve("a", later), Duration::from_millis(100));
    }
}
