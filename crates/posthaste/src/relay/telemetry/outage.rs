//! An outage in the log: a line when it begins, one every ten seconds, and one when it is over. Everything fails meanwhile, and often.

use std::time::{Duration, Instant};

/// Between two lines about the same outage.
const INTERVAL: Duration = Duration::from_secs(10);

/// Whether something answers.
#[derive(Debug, Default)]
pub(super) enum Outage {
    #[default]
    Over,
    Lasts(Silence),
}

#[derive(Debug)]
pub(super) struct Silence {
    began: Instant,
    told: Instant,
    failed: u64,
}

/// What is to be told about something that failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    Began,
    Lasts { since: Duration, failed: u64 },
}

impl Outage {
    /// Something failed.
    pub(super) fn failed(&mut self, now: Instant) -> Option<News> {
        let Self::Lasts(silence) = self else {
            *self = Self::Lasts(Silence { began: now, told: now, failed: 1 });
            return Some(News::Began);
        };
        silence.failed += 1;
        if now.duration_since(silence.told) < INTERVAL {
            return None;
        }
        silence.told = now;
        Some(News::Lasts { since: now.duration_since(silence.began), failed: silence.failed })
    }

    /// Something succeeded: how long it had failed, and how often, if it had.
    pub(super) fn over(&mut self, now: Instant) -> Option<(Duration, u64)> {
        match std::mem::take(self) {
            Self::Over => None,
            Self::Lasts(silence) => Some((now.duration_since(silence.began), silence.failed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_told_when_it_begins_every_ten_seconds_and_when_it_is_over() {
        let (mut outage, began) = (Outage::default(), Instant::now());
        let at = |seconds: u64| began + Duration::from_secs(seconds);
        assert_eq!(outage.over(at(0)), None, "nothing to tell");
        assert_eq!(outage.failed(at(0)), Some(News::Began));
        let told: Vec<_> = (1..=25).filter_map(|second| outage.failed(at(second))).collect();
        let lasts = |seconds, failed| News::Lasts { since: Duration::from_secs(seconds), failed };
        assert_eq!(told, [lasts(10, 11), lasts(20, 21)]);
        assert_eq!(outage.over(at(26)), Some((Duration::from_secs(26), 26)));
        assert_eq!(outage.over(at(27)), None, "told once");
        assert_eq!(outage.failed(at(28)), Some(News::Began), "another outage");
    }
}
