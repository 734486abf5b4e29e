//! Numbers without a position below the head.
//!
//! A number in a gap belongs to a transaction that still runs, or to one that was rolled back. Before anything new gets a position, those
//! of the first kind are looked at: if one of them has committed meanwhile it comes first, because what is new may follow from it. There
//! may be many of the second kind, which nobody waits for. They are told apart by what is in the table and not committed. Where nobody can
//! see that, a number is of the first kind for as long as a transaction is open that is older than its gap.

use std::time::{Duration, Instant};

/// A gap that is younger is looked at each time: whoever took its numbers may not have used them yet.
const YOUNG: Duration = Duration::from_secs(10);

/// Looking through all gaps takes one part in so many of the time, at most.
const SHARE: u32 = 20;

/// Consecutive numbers without a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) first: i64,
    pub(super) last: i64,
    /// When it was seen first.
    since: Instant,
    /// Something was in it, committed or not, when all gaps were last looked through.
    is_used: bool,
}

/// All of them, in order.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    all: Vec<Gap>,
    /// Not before then are all of them looked through again.
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
    /// Those that are in the store, with what was known of them before.
    pub(super) fn found(all: impl IntoIterator<Item = (i64, i64)>, before: &Self, now: Instant) -> Self {
        let gap = |(first, last)| {
            let known = before.containing(first).filter(|known| known.last >= last);
            let unknown = Gap { first, last, since: now, is_used: false };
            known.map_or(unknown, |known| Gap { first, last, ..*known })
        };
        Self { all: all.into_iter().map(gap).collect(), rested: before.rested }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Gap] {
        &self.all
    }

    /// Whether all of them may be looked through again.
    pub(super) fn may_look_through(&self, now: Instant) -> bool {
        self.rested.is_none_or(|rested| rested <= now)
    }

    /// All of them were looked through, which took so long: these numbers, which ascend, are in the table, committed or not. What a
    /// transaction writes may have been out of sight for as long as `hidden`.
    pub(super) fn looked_through(&mut self, used: &[i64], hidden: Duration, took: Duration, now: Instant) {
        self.rested = Some(now + took * SHARE);
        for gap in &mut self.all {
            let next = used.get(used.partition_point(|seq| *seq < gap.first));
            let may_be_hidden = now.saturating_duration_since(gap.since) < hidden;
            gap.is_used = may_be_hidden || next.is_some_and(|seq| *seq <= gap.last);
        }
    }

    /// Those that somebody may be about to commit.
    pub(super) fn in_use(&self, now: Instant) -> Vec<Gap> {
        let is_young = |gap: &Gap| now.saturating_duration_since(gap.since) < YOUNG;
        self.all.iter().filter(|gap| gap.is_used || is_young(gap)).copied().collect()
    }

    /// What changes when `late` numbers get positions, and `new` ones beyond the head. Both ascend.
    pub(super) fn changes(&self, late: &[i64], head: i64, new: &[i64], now: Instant) -> Changes {
        let mut changes = Changes::default();
        let mut late = late.iter().copied().peekable();
        for gap in &self.all {
            let mut rest = gap.first;
            while let Some(seq) = late.next_if(|&seq| seq <= gap.last) {
                changes.open(Gap { first: rest, last: seq - 1, ..*gap });
                rest = seq + 1;
            }
            if rest > gap.first {
                changes.closed.push(gap.first);
                changes.open(Gap { first: rest, ..*gap });
            }
        }
        let mut next = head + 1;
        for &seq in new {
            changes.open(Gap { first: next, last: seq - 1, since: now, is_used: true });
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

    fn containing(&self, seq: i64) -> Option<&Gap> {
        let after = self.all.partition_point(|gap| gap.first <= seq);
        self.all.get(after.checked_sub(1)?).filter(|gap| gap.last >= seq)
    }
}

impl Changes {
    /// Unless nothing is in it.
    fn open(&mut self, gap: Gap) {
        if gap.first <= gap.last {
            self.opened.push(gap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(gaps: &[Gap]) -> Vec<(i64, i64)> {
        gaps.iter().map(|gap| (gap.first, gap.last)).collect()
    }

    fn gaps<const N: usize>(all: [(i64, i64); N], now: Instant) -> Gaps {
        Gaps::found(all, &Gaps::default(), now)
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
        let mut gaps = gaps([(2, 2), (4, 8), (20, 22)], now);
        let changes = gaps.changes(&[2, 5, 8], 30, &[31], now);
        assert_eq!(changes.closed, [2, 4]);
        assert_eq!(spans(&changes.opened), [(4, 4), (6, 7)]);
        gaps.apply(&changes);
        assert_eq!(spans(&gaps.all), [(4, 4), (6, 7), (20, 22)]);
    }

    #[test]
    fn an_old_gap_is_left_alone_unless_something_is_in_it() {
        let start = Instant::now();
        let mut gaps = gaps([(1, 1), (5, 9)], start);
        assert_eq!(gaps.in_use(start).len(), 2, "young ones are always looked at");
        let later = start + YOUNG;
        gaps.looked_through(&[3, 7], Duration::ZERO, Duration::ZERO, later);
        assert_eq!(spans(&gaps.in_use(later)), [(5, 9)]);
        let again = Gaps::found([(1, 1), (6, 9)], &gaps, later);
        assert_eq!(spans(&again.in_use(later)), [(6, 9)], "what is known of a gap is known of a part of it");
    }

    #[test]
    fn where_nothing_uncommitted_is_seen_a_gap_counts_while_an_older_transaction_is_open() {
        let start = Instant::now();
        let mut gaps = gaps([(1, 1)], start);
        let later = start + Duration::from_secs(60);
        gaps.looked_through(&[], Duration::from_secs(61), Duration::ZERO, later);
        assert_eq!(spans(&gaps.in_use(later)), [(1, 1)]);
        gaps.looked_through(&[], Duration::from_secs(60), Duration::ZERO, later);
        assert!(gaps.in_use(later).is_empty());
    }

    #[test]
    fn all_gaps_are_looked_through_less_often_the_longer_it_takes() {
        let start = Instant::now();
        let mut gaps = gaps([(1, 1)], start);
        assert!(gaps.may_look_through(start));
        gaps.looked_through(&[], Duration::ZERO, Duration::from_secs(1), start);
        assert!(!gaps.may_look_through(start + Duration::from_secs(19)));
        assert!(gaps.may_look_through(start + Duration::from_secs(20)));
    }
}
