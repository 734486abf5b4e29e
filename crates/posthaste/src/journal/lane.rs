//! What a lane keeps in the store.

use super::{Attempt, Epoch, HeldKey, Park, Partition, Position};
use crate::destination::Name;
use crate::message::{Message, OrderKey};

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
    /// Whose lane it is.
    pub destination: Name,
    /// In which partition.
    pub partition: Partition,
    /// Under which lease: once another worker holds the partition, all of this is refused.
    pub epoch: Epoch,
    /// How far the lane got, if that has changed.
    pub cursor: Option<Cursor>,
    /// Deliveries to park, or to park in another way.
    pub park: Vec<Park>,
    /// Parked deliveries that are settled.
    pub unpark: Vec<Position>,
    /// Parked deliveries that someone discarded, and of which the lane has taken note. Whatever is no longer
    /// [`ParkedState::Discarding`](super::ParkedState::Discarding) is left alone.
    pub discard: Vec<Position>,
    /// Whether everything that waits for a paused tenant is due now, what is parked by this commit included: it is to be looked at again.
    pub recall: bool,
    /// Keys that get a cursor of their own, or move it.
    pub hold: Vec<HeldKey>,
    /// Keys that have caught up with the lane.
    pub free: Vec<OrderKey>,
    /// Attempts to record.
    pub attempts: Vec<Attempt>,
    /// Messages to write with all this, for the dead-letter destination. One whose origin is stored already is left out quietly, so that a
    /// commit that is repeated writes nothing twice.
    pub letters: Vec<Message>,
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
            discard: Vec::new(),
            recall: false,
            hold: Vec::new(),
            free: Vec::new(),
            attempts: Vec::new(),
            letters: Vec::new(),
        }
    }

    /// Whether the cursor is all there is to record.
    pub fn is_cursor_only(&self) -> bool {
        self.park.is_empty()
            && self.unpark.is_empty()
            && self.discard.is_empty()
            && !self.recall
            && self.hold.is_empty()
            && self.free.is_empty()
            && self.attempts.is_empty()
            && self.letters.is_empty()
    }
}

/// What a lane finds when it opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneState {
    /// In which partition.
    pub partition: Partition,
    /// How far the lane got.
    pub cursor: Cursor,
    /// With each held key: whether a parked delivery stands at its head.
    pub held: Vec<(HeldKey, bool)>,
}
