//! The part of the journal that one call reads.

use mysql_async::Value;

use super::super::ranges::{self, Range};
use crate::journal::Position;
use crate::stores::values;

/// Intervals of numbers that one statement reads. Each statement is prepared with one of these counts.
const INTERVALS: [usize; 3] = [1, 4, 16];

/// Ranges that follow each other in the journal, to be read together.
#[derive(Debug)]
pub(in super::super) struct Stretch<'a> {
    /// In the order of the journal.
    ranges: &'a [Range],
    /// The same in the order of numbers.
    by_seq: Vec<Range>,
    /// What is read, in the order of numbers.
    intervals: Vec<(i64, i64)>,
}

impl<'a> Stretch<'a> {
    /// As many of these ranges as hold so many messages and can be read with one statement, which passes over up to `slack` numbers
    /// between two of them; `None` if there are none.
    pub(in super::super) fn of(ranges: &'a [Range], messages: usize, slack: i64) -> Option<Self> {
        let mut held = 0;
        let fits = |range: &&Range| {
            let fits = held < values::signed(messages);
            held += range.messages();
            fits
        };
        let mut count = ranges.iter().take_while(fits).count();
        loop {
            let stretch = Self::together(&ranges[..count], slack)?;
            if stretch.intervals.len() <= INTERVALS[INTERVALS.len() - 1] {
                return Some(stretch);
            }
            count = count * 3 / 4;
        }
    }

    fn together(ranges: &'a [Range], slack: i64) -> Option<Self> {
        let mut by_seq = ranges.to_vec();
        by_seq.sort_unstable_by_key(|range| range.first);
        let intervals = ranges::intervals(ranges, slack);
        (!ranges.is_empty()).then_some(Self { ranges, by_seq, intervals })
    }

    /// Only the first range of it.
    pub(in super::super) fn first(&self) -> Self {
        let first = self.ranges[0];
        Self { ranges: &self.ranges[..1], by_seq: vec![first], intervals: vec![(first.first, first.last)] }
    }

    pub(in super::super) fn is_all_of(&self, ranges: &[Range]) -> bool {
        self.ranges.len() == ranges.len()
    }

    /// The position of its last message.
    pub(in super::super) fn end(&self) -> Position {
        self.ranges.last().map_or(Position::START, |range| values::position(range.end()))
    }

    /// The position of a message, if it belongs to it.
    pub(in super::super) fn position_of(&self, seq: i64) -> Option<Position> {
        let after = self.by_seq.partition_point(|range| range.first <= seq);
        let range = self.by_seq.get(after.checked_sub(1)?)?;
        range.contains(seq).then(|| values::position(range.position_of(seq)))
    }

    /// Up to where it is complete, if everything up to this number was read and nothing beyond.
    pub(in super::super) fn complete_to(&self, seq: i64) -> Position {
        let mut upto = self.ranges[0].position - 1;
        for range in self.ranges {
            if range.last > seq {
                upto = if range.first <= seq { range.position_of(seq) } else { range.position - 1 };
                break;
            }
            upto = range.end();
        }
        values::position(upto)
    }

    /// The condition that reads it, and its parameters.
    pub(in super::super) fn intervals(&self) -> (String, Vec<Value>) {
        let wanted = self.intervals.len();
        let count = INTERVALS.into_iter().find(|count| *count >= wanted).unwrap_or(wanted);
        let conditions = vec!["o.seq BETWEEN ? AND ?"; count].join(" OR ");
        // The last one is repeated.
        let padded = (0..count).map(|n| self.intervals[n.min(wanted - 1)]);
        (conditions, padded.flat_map(|(first, last)| [Value::from(first), Value::from(last)]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(position: i64, first: i64, last: i64) -> Range {
        Range { position, first, last }
    }

    #[test]
    fn what_was_committed_late_is_read_with_its_neighbours() {
        let ranges = [range(1, 1, 3), range(4, 5, 9), range(9, 4, 4), range(10, 200, 210)];
        let stretch = Stretch::of(&ranges, 100, 16).unwrap();
        assert_eq!(stretch.intervals, [(1, 9), (200, 210)]);
        assert_eq!(stretch.intervals().1.len(), 8, "four intervals, of which one is repeated");
        let at = |seq| stretch.position_of(seq).map(values::seq);
        assert_eq!((at(3), at(4), at(5), at(205), at(10)), (Some(3), Some(9), Some(4), Some(15), None));
    }

    #[test]
    fn what_was_not_reached_bounds_what_is_complete() {
        let ranges = [range(1, 10, 12), range(4, 2, 3), range(6, 20, 29)];
        let stretch = Stretch::of(&ranges, 100, 16).unwrap();
        let complete = |seq| values::seq(stretch.complete_to(seq));
        assert_eq!(complete(3), 0, "only what comes later in the journal was read");
        assert_eq!(complete(10), 1);
        assert_eq!(complete(12), 5);
        assert_eq!(complete(24), 10);
        assert_eq!(complete(29), 15);
    }

    #[test]
    fn only_as_much_is_read_as_was_asked_for_and_one_statement_can() {
        let ranges: Vec<Range> = (0..100).map(|n| range(n + 1, n * 1_000, n * 1_000)).collect();
        assert_eq!(Stretch::of(&ranges, 5, 16).unwrap().ranges.len(), 5);
        assert!(Stretch::of(&ranges, 1_000, 16).unwrap().intervals.len() <= 16);
        assert!(Stretch::of(&[], 10, 16).is_none());
    }
}
