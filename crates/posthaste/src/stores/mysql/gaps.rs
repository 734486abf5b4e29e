//! Numbers without a position below the head.

use std::time::{Duration, Instant};

/// A gap that is younger is looked at each time: its transaction has probably not ended yet.
const YOUNG: Duration = Duration::from_secs(2);

/// Looking at the other gaps takes one part in so many of the time, at most.
const SHARE: u32 = 20;

/// Consecutive numbers without a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) first: i64,
    pub(super) last: i64,
    /// When it was seen first.
    pub(super) since: Instant,
}

impl Gap {
    fn is_young(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < YOUNG
    }
}

/// All of them, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Gaps {
    all: Vec<Gap>,
    /// Not before then are the old ones looked at again.
    rested: Option<Instant>,
}

/// How gaps change when messages are placed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// The first numbers of those that are no longer as they were.
    pub(super) closed: Vec<i64>,
    pub(super) opened: Vec<Gap>,
}

impl Gaps {
    /// Those that are there when one begins to look.
    pub(super) fn found(all: impl IntoIterator<Item = (i64, i64)>, now: Instant) -> Self {
        Self { all: all.into_iter().map(|(first, last)| Gap { first, last, since: now }).collect(), rested: None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether the old ones may be looked at again.
    pub(super) fn may_look_at_all(&self, now: Instant) -> bool {
        self.rested.is_none_or(|rested| rested <= now)
    }

    /// Those to look at now.
    pub(super) fn to_look_at(&self, now: Instant) -> Vec<Gap> {
        let all = self.may_look_at_all(now);
        self.all.iter().filter(|gap| all || gap.is_young(now)).copied().collect()
    }

    /// Looking at all of them took so long.
    pub(super) fn looked_at_all(&mut self, took: Duration, now: Instant) {
        self.rested = Some(now + took * SHARE);
    }

    /// What changes when `late` numbers get positions, and `new` ones beyond the head. Both ascend.
    pub(super) fn changes(&self, late: &[i64], head: i64, new: &[i64], now: Instant) -> Changes {
        let mut changes = Changes::default();
        let mut late = late.iter().copied().peekable();
        for gap in &self.all {
            let mut rest = gap.first;
            while let Some(seq) = late.next_if(|&seq| seq <= gap.last) {
                changes.open(rest, seq - 1, gap.since);
                rest = seq + 1;
            }
            if rest > gap.first {
                changes.closed.push(gap.first);
                changes.open(rest, gap.last, gap.since);
            }
        }
        let mut next = head + 1;
        for &seq in new {
            changes.open(next, seq - 1, now);
            next = seq + 1;
        }
        changes
    }

    /// Makes the changes.
    pub(super) fn apply(&mut self, changes: &Changes) {
        self.all.retain(|gap| changes.closed.binary_search(&gap.first).is_err());
        self.all.extend(&changes.opened);
        self.all.sort_unstable_by_key(|gap| gap.first);
    }
}

impl Changes {
    fn open(&mut self, first: i64, last: i64, since: Instant) {
        if first <= last {
            self.opened.push(Gap { first, last, since });
        }
    }

    /// Whether a gap is closed that was not opened in the same step.
    pub(super) fn closes(&self) -> bool {
        !self.closed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(gaps: &[Gap]) -> Vec<(i64, i64)> {
        gaps.iter().map(|gap| (gap.first, gap.last)).collect()
    }

    #[test]
    fn numbers_that_are_passed_over_become_gaps() {
        let now = Instant::now();
        let changes = Gaps::default().changes(&[], 10, &[11, 14, 15, 17], now);
        assert_eq!(spans(&changes.opened), [(12, 13), (16, 16)]);
        assert!(changes.closed.is_empty());
    }

    #[test]
    fn a_late_number_closes_its_gap_and_leaves_the_rest_of_it() {
        let now = Instant::now();
        let mut gaps = Gaps::found([(2, 2), (4, 8), (20, 22)], now);
        let changes = gaps.changes(&[2, 5, 8], 30, &[31], now);
        assert_eq!(changes.closed, [2, 4]);
        assert_eq!(spans(&changes.opened), [(4, 4), (6, 7)]);
        gaps.apply(&changes);
        assert_eq!(spans(&gaps.all), [(4, 4), (6, 7), (20, 22)]);
    }

    #[test]
    fn old_gaps_are_looked_at_less_often_the_longer_it_takes() {
        let start = Instant::now();
        let mut gaps = Gaps::found([(1, 1)], start);
        let later = start + YOUNG;
        assert_eq!(gaps.to_look_at(later).len(), 1);
        gaps.looked_at_all(Duration::from_secs(1), later);
        assert!(gaps.to_look_at(later + Duration::from_secs(19)).is_empty());
        assert_eq!(gaps.to_look_at(later + Duration::from_secs(20)).len(), 1);
        assert_eq!(gaps.to_look_at(start + Duration::from_secs(1)).len(), 1, "a young one always");
    }
}
