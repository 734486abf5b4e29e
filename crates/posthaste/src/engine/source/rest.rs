//! Waiting after an error, longer each time.

use std::time::Duration;

#[derive(Debug)]
pub(super) struct Rest {
    min: Duration,
    max: Duration,
    failures: u32,
    until: Option<Duration>,
}

impl Rest {
    pub(super) fn new(min: Duration, max: Duration) -> Self {
        Self { min, max, failures: 0, until: None }
    }

    /// Something failed: rests for so long, or as long as was asked for.
    pub(super) fn begin(&mut self, now: Duration, asked: Option<Duration>) -> Duration {
        let doubled = self.min.saturating_mul(1 << self.failures.min(16)).min(self.max);
        // A server that sends us on again and again is an error, too.
        let rest = asked.filter(|_| self.failures < 3).unwrap_or(doubled);
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now + rest);
        rest
    }

    /// Something succeeded. Returns whether it had failed before.
    pub(super) fn end(&mut self) -> bool {
        self.until = None;
        std::mem::take(&mut self.failures) > 0
    }

    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.until.is_none_or(|until| now >= until)
    }

    /// Until when, if it is one.
    pub(super) fn until(&self) -> Option<Duration> {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rest_is_twice_as_long_up_to_the_longest() {
        let millis = Duration::from_millis;
        let mut rest = Rest::new(millis(100), millis(500));
        let rests: Vec<_> = (0..4).map(|_| rest.begin(Duration::ZERO, None)).collect();
        assert_eq!(rests, [100, 200, 400, 500].map(millis));
        assert!(!rest.is_over(millis(499)) && rest.is_over(millis(500)));
        assert!(rest.end() && !rest.end());
        assert_eq!(rest.begin(Duration::ZERO, Some(Duration::ZERO)), Duration::ZERO, "another server was named");
        for _ in 0..2 {
            rest.begin(Duration::ZERO, Some(Duration::ZERO));
        }
        assert_ne!(rest.begin(Duration::ZERO, Some(Duration::ZERO)), Duration::ZERO, "and again, and again");
    }
}
