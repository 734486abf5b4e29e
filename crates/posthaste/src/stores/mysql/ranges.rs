//! Which numbers have which positions.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::codec;
use super::seam::no_journal;
use crate::error::Result;
use crate::journal::Position;

/// No range reaches over a multiple of this, so that a message finds its range by an equation.
pub(super) const BLOCK: i64 = 1_024;

/// Messages with consecutive numbers at consecutive positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// Of the first message.
    pub(super) position: i64,
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Range {
    pub(super) fn of(row: &Row) -> Result<Self> {
        Ok(Self {
            position: codec::get(row, "position")?,
            first: codec::get(row, "first_seq")?,
            last: codec::get(row, "last_seq")?,
        })
    }

    /// The block it lies in.
    pub(super) fn block(&self) -> i64 {
        self.first / BLOCK
    }

    /// How many messages it has.
    pub(super) fn messages(&self) -> i64 {
        self.last - self.first + 1
    }

    /// The position of its last message.
    pub(super) fn end(&self) -> i64 {
        self.position + (self.last - self.first)
    }

    /// The position of one of its messages.
    pub(super) fn position_of(&self, seq: i64) -> i64 {
        self.position + (seq - self.first)
    }

    /// Whether a message of this number belongs to it.
    pub(super) fn contains(&self, seq: i64) -> bool {
        (self.first..=self.last).contains(&seq)
    }

    /// The part of it that lies in `(after, until]`, by position.
    pub(super) fn between(self, after: i64, until: i64) -> Option<Self> {
        let position = self.position.max(after.saturating_add(1));
        let end = self.end().min(until);
        let first = self.first + (position - self.position);
        (position <= end).then(|| Self { position, first, last: first + (end - position) })
    }

    /// Whether a message of this number that gets this position is the next one of it.
    fn goes_on_with(&self, seq: i64, position: i64) -> bool {
        seq == self.last + 1 && seq / BLOCK == self.block() && position == self.end() + 1
    }
}

/// Ranges that follow a position.
#[derive(Debug)]
pub(super) struct Found {
    /// The newest position there is, beyond these ranges or not.
    pub(super) newest: Position,
    /// In the order of the journal.
    pub(super) ranges: Vec<Range>,
    /// There are no more that were asked for.
    pub(super) is_all: bool,
}

/// The parts of ranges that lie in `(after, until]`, so many of them at most.
pub(super) async fn find(connection: &mut impl Queryable, after: i64, until: i64, most: usize) -> Result<Found> {
    let sql = include_str!("sql/read/ranges.sql").replace("{limit}", &most.to_string());
    let rows = codec::cached(connection, sql, params! { "after" => after, "until" => until }).await?;
    let newest = codec::position(rows.first().ok_or_else(no_journal)?, "newest")?;
    let mut ranges = Vec::new();
    for row in &rows {
        if codec::get::<Option<i64>>(row, "position")?.is_some() {
            ranges.extend(Range::of(row)?.between(after, until));
        }
    }
    // The first row may be of a range that ends before: what counts is how many were found, and not how many are left.
    Ok(Found { newest, ranges, is_all: rows.len() < most })
}

/// Intervals of numbers that have all of these ranges in them. So many numbers of others between two ranges are rather read and left out
/// than looked for around.
pub(super) fn intervals(ranges: &[Range], slack: i64) -> Vec<(i64, i64)> {
    let mut by_seq: Vec<_> = ranges.iter().map(|range| (range.first, range.last)).collect();
    by_seq.sort_unstable();
    let mut intervals: Vec<(i64, i64)> = Vec::new();
    for (first, last) in by_seq {
        match intervals.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1 + slack) => *end = last,
            _ => intervals.push((first, last)),
        }
    }
    intervals
}

/// What was placed: how the newest range goes on, and the ranges after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) extended: Option<Range>,
    pub(super) added: Vec<Range>,
}

impl Placed {
    /// Gives these numbers, which ascend, the positions after `newest`, of which `last` is the newest range if it is known.
    pub(super) fn after(newest: i64, last: Option<Range>, seqs: &[i64]) -> Self {
        let mut placed = Self::default();
        for (position, &seq) in (newest + 1..).zip(seqs) {
            let current = placed.added.last_mut();
            if let Some(range) = current {
                if range.goes_on_with(seq, position) {
                    range.last = seq;
                    continue;
                }
            } else if let Some(range) = placed.extended.or(last).filter(|range| range.goes_on_with(seq, position)) {
                placed.extended = Some(Range { last: seq, ..range });
                continue;
            }
            placed.added.push(Range { position, first: seq, last: seq });
        }
        placed
    }

    /// The newest range from now on.
    pub(super) fn last(&self) -> Option<Range> {
        self.added.last().copied().or(self.extended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(position: i64, first: i64, last: i64) -> Range {
        Range { position, first, last }
    }

    #[test]
    fn neighbours_share_a_range_and_a_gap_begins_another() {
        let placed = Placed::after(0, None, &[1, 2, 3, 5, 6, 9]);
        assert_eq!(placed.added, [range(1, 1, 3), range(4, 5, 6), range(6, 9, 9)]);
        assert_eq!(placed.extended, None);
    }

    #[test]
    fn the_newest_range_goes_on_if_number_and_position_follow() {
        let last = range(1, 1, 3);
        let placed = Placed::after(3, Some(last), &[4, 5, 7]);
        assert_eq!(placed.extended, Some(range(1, 1, 5)));
        assert_eq!(placed.added, [range(6, 7, 7)]);
        assert_eq!(Placed::after(1_000_003, Some(last), &[4]).added, [range(1_000_004, 4, 4)], "after a jump");
    }

    #[test]
    fn no_range_reaches_over_a_block() {
        let placed = Placed::after(0, None, &(1_000..=2_100).collect::<Vec<_>>());
        assert_eq!(placed.added, [range(1, 1_000, 1_023), range(25, 1_024, 2_047), range(1_049, 2_048, 2_100)]);
        let placed = Placed::after(24, Some(range(1, 1_000, 1_023)), &[1_024]);
        assert_eq!((placed.extended, placed.added), (None, vec![range(25, 1_024, 1_024)]));
    }

    #[test]
    fn a_part_of_a_range_keeps_its_numbers() {
        let whole = range(11, 101, 110);
        assert_eq!(whole.between(0, i64::MAX), Some(whole));
        assert_eq!(whole.between(12, 15), Some(range(13, 103, 105)));
        assert_eq!(whole.between(20, 30), None);
        assert_eq!(whole.between(5, 10), None);
    }
}
