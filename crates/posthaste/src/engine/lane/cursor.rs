//! The stretch of journal between a lane's low-water position and what it has read: which of it is settled.

use std::collections::{BTreeSet, VecDeque};

use crate::journal::{Cursor, Position};

#[derive(Debug)]
struct Slot {
    position: Position,
    settled: bool,
}

/// A lane's cursor in the making.
#[derive(Debug)]
pub(in crate::engine) struct Slots {
    low: Position,
    read_to: Position,
    /// Settled by an earlier holder of the lane, beyond its low-water position and not read again yet.
    settled_before: BTreeSet<Position>,
    /// Ascending, all beyond `low`.
    slots: VecDeque<Slot>,
}

impl Slots {
    pub(in crate::engine) fn resume(cursor: Cursor) -> Self {
        Self {
            low: cursor.low,
            read_to: cursor.low,
            settled_before: cursor.done.into_iter().collect(),
            slots: VecDeque::new(),
        }
    }

    pub(in crate::engine) fn low(&self) -> Position {
        self.low
    }

    pub(in crate::engine) fn read_to(&self) -> Position {
        self.read_to
    }

    pub(in crate::engine) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Takes a place into the stretch. False when it was settled before and must not be delivered again.
    pub(in crate::engine) fn open(&mut self, position: Position) -> bool {
        let settled = self.settled_before.remove(&position);
        self.slots.push_back(Slot { position, settled });
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
        if let Ok(at) = self.slots.binary_search_by_key(&position, |slot| slot.position) {
            self.slots[at].settled = true;
        }
        self.advance();
    }

    fn advance(&mut self) {
        while self.slots.front().is_some_and(|slot| slot.settled) {
            if let Some(slot) = self.slots.pop_front() {
                self.low = slot.position;
            }
        }
        if self.slots.is_empty() {
            self.low = self.low.max(self.read_to);
        }
    }

    /// What the store should remember.
    pub(in crate::engine) fn cursor(&self) -> Cursor {
        let read = self.slots.iter().filter(|slot| slot.settled).map(|slot| slot.position);
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
        let mut slots = Slots::resume(Cursor::default());
        for seq in [2, 4, 6] {
            assert!(slots.open(at(seq)));
        }
        slots.read_up_to(at(7));
        slots.settle(at(4));
        assert_eq!(slots.cursor(), Cursor { low: at(0), done: vec![at(4)] });
        slots.settle(at(2));
        assert_eq!(slots.cursor(), Cursor { low: at(4), done: vec![] });
        slots.settle(at(6));
        assert_eq!(slots.cursor(), Cursor { low: at(7), done: vec![] });
    }

    #[test]
    fn what_an_earlier_holder_settled_is_not_opened_again() {
        let mut slots = Slots::resume(Cursor { low: at(1), done: vec![at(3), at(9)] });
        assert!(slots.open(at(2)));
        assert!(!slots.open(at(3)));
        slots.read_up_to(at(4));
        slots.settle(at(2));
        assert_eq!(slots.cursor(), Cursor { low: at(4), done: vec![at(9)] });
    }
}
