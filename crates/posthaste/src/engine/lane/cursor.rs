//! The stretch of journal between a lane's low-water position and what it has read: which of it is settled.

use std::collections::{BTreeSet, VecDeque};

use crate::journal::{Cursor, Position};

/// One message of the stretch.
#[derive(Debug)]
struct Place {
    position: Position,
    settled: bool,
}

/// A lane's cursor in the making.
#[derive(Debug)]
pub(in crate::engine) struct LaneCursor {
    low: Position,
    read_to: Position,
    /// Settled by an earlier holder of the lane, beyond its low-water position and not read again yet.
    settled_before: BTreeSet<Position>,
    /// Ascending, all beyond `low`.
    places: VecDeque<Place>,
}

impl LaneCursor {
    /// Goes on from what the store remembers.
    pub(in crate::engine) fn resume(cursor: Cursor) -> Self {
        Self {
            low: cursor.low,
            read_to: cursor.low,
            settled_before: cursor.done.into_iter().collect(),
            places: VecDeque::new(),
        }
    }

    /// Everything up to here is settled.
    pub(in crate::engine) fn low(&self) -> Position {
        self.low
    }

    /// Everything up to here was read and taken in.
    pub(in crate::engine) fn read_to(&self) -> Position {
        self.read_to
    }

    /// How many messages the stretch holds.
    pub(in crate::engine) fn len(&self) -> usize {
        self.places.len()
    }

    /// Takes a place into the stretch. False when it was settled before and must not be delivered again.
    pub(in crate::engine) fn open(&mut self, position: Position) -> bool {
        let settled = self.settled_before.remove(&position);
        self.places.push_back(Place { position, settled });
        !settled
    }

    /// Everything up to here has been read.
    pub(in crate::engine) fn read_up_to(&mut self, upto: Position) {
        self.read_to = self.read_to.max(upto);
        self.settled_before = self.settled_before.split_off(&self.read_to);
        self.advance();
    }

    /// Settles a place; one that is not open is left alone.
    pub(in crate::engine) fn settle(&mut self, position: Position) {
        if let Ok(at) = self.places.binary_search_by_key(&position, |place| place.position) {
            self.places[at].settled = true;
        }
        self.advance();
    }

    fn advance(&mut self) {
        while self.places.front().is_some_and(|place| place.settled) {
            if let Some(place) = self.places.pop_front() {
                self.low = place.position;
            }
        }
        if self.places.is_empty() {
            self.low = self.low.max(self.read_to);
        }
    }

    /// What the store should remember.
    pub(in crate::engine) fn cursor(&self) -> Cursor {
        let read = self.places.iter().filter(|place| place.settled).map(|place| place.position);
        Cursor { low: self.low, done: read.chain(self.settled_before.iter().copied()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seq: u64) -> Position {
        Position::seq(seq)
    }

    #[test]
    fn the_low_water_position_stops_at_the_first_unsettled_message() {
        let mut cursor = LaneCursor::resume(Cursor::default());
        for seq in [2, 4, 6] {
            assert!(cursor.open(at(seq)));
        }
        cursor.read_up_to(at(7));
        cursor.settle(at(4));
        assert_eq!(cursor.cursor(), Cursor { low: at(0), done: vec![at(4)] });
        cursor.settle(at(2));
        assert_eq!(cursor.cursor(), Cursor { low: at(4), done: vec![] });
        cursor.settle(at(6));
        assert_eq!(cursor.cursor(), Cursor { low: at(7), done: vec![] });
    }

    #[test]
    fn what_an_earlier_holder_settled_is_not_opened_again() {
        let mut cursor = LaneCursor::resume(Cursor { low: at(1), done: vec![at(3), at(9)] });
        assert!(cursor.open(at(2)));
        assert!(!cursor.open(at(3)));
        cursor.read_up_to(at(4));
        cursor.settle(at(2));
        assert_eq!(cursor.cursor(), Cursor { low: at(4), done: vec![at(9)] });
    }
}
