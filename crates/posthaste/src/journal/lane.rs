//! What a lane keeps in the store.

use std::time::Duration;

use super::{Attempt, Epoch, HeldKey, Park, Partition, Position};
use crate::destination::Name;
use crate::message::OrderKey;

/// How far a lane got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Everything up to here is settled.
    pub low: Position,
    /// Settled beyond `low`, ascending.
    pub done: Vec<Position>,
}

/// Everything a lane wants recorded, in one transaction, only if its lease still holds. Absolute values: applying it twice
/// is the same as once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCommit {
    pub destination: Name,
    pub partition: Partition,
    pub epoch: Epoch,
    pub cursor: Option<Cursor>,
    pub park: Vec<Park>,
    pub unpark: Vec<Position>,
    /// Parked deliveries that someone discarded, and of which the lane has taken note. Whatever is no longer
    /// [`ParkedState::Discarding`] is left alone.
    pub let_go: Vec<Position>,
    pub hold: Vec<HeldKey>,
    pub free: Vec<OrderKey>,
    pub attempts: Vec<Attempt>,
}

impl LaneCommit {
    /// Changes nothing, and is refused like any other once the lease is gone.
    pub fn nothing(destination: Name, partition: Partition, epoch: Epoch) -> Self {
        Self {
            destination,
            partition,
            epoch,
            cursor: None,
            park: Vec::new(),
            unpark: Vec::new(),
            let_go: Vec::new(),
            hold: Vec::new(),
            free: Vec::new(),
            attempts: Vec::new(),
        }
    }

    /// Whether the cursor is all there is to record.
    pub fn is_cursor_only(&self) -> bool {
        self.park.is_empty()
            && self.unpark.is_empty()
            && self.let_go.is_empty()
            && self.hold.is_empty()
            && self.free.is_empty()
            && self.attempts.is_empty()
    }
}

/// What a lane finds when it opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneState {
    pub partition: Partition,
    pub cursor: Cursor,
    /// With each held key: whether a parked delivery stands at its head.
    pub held: Vec<(HeldKey, bool)>,
    /// How long until the first parked delivery is due.
    pub next_due_in: Option<Duration>,
}
