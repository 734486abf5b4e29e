//! The lanes of a destination.

use super::{Lane, LaneId};
use crate::journal::Partition;

/// The lanes of a destination, one for each partition that is held, in the order of partitions. Each stands at the place of its
/// partition, for all of them are looked at after every answer of a sink, which may be one to a few messages. The last place is taken.
#[derive(Debug, Default)]
pub(super) struct Lanes(Vec<Option<Box<Lane>>>);

impl Lanes {
    /// Adds a lane, in place of an older one of its partition.
    pub(super) fn insert(&mut self, lane: Lane) {
        let place = lane.id.partition.index();
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place] = Some(Box::new(lane));
    }

    /// Drops the lane of a partition.
    pub(super) fn remove(&mut self, partition: Partition) {
        if let Some(place) = self.0.get_mut(partition.index()) {
            *place = None;
        }
        while self.0.pop_if(|last| last.is_none()).is_some() {}
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lane of a partition.
    pub(super) fn of(&self, partition: Partition) -> Option<&Lane> {
        self.0.get(partition.index())?.as_deref()
    }

    /// The lane of a partition.
    pub(super) fn of_mut(&mut self, partition: Partition) -> Option<&mut Lane> {
        self.0.get_mut(partition.index())?.as_deref_mut()
    }

    /// A lane, unless its lease is gone.
    pub(super) fn get(&self, id: LaneId) -> Option<&Lane> {
        self.of(id.partition).filter(|lane| lane.id == id)
    }

    /// A lane, unless its lease is gone.
    pub(super) fn get_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.of_mut(id.partition).filter(|lane| lane.id == id)
    }

    /// All lanes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.0.iter().filter_map(Option::as_deref)
    }

    /// All lanes.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.iter_mut().filter_map(Option::as_deref_mut)
    }
}
