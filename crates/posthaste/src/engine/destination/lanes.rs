//! The lanes of a destination.

use std::collections::BTreeMap;

use super::{Lane, LaneId};
use crate::journal::Partition;

/// The lanes of a destination, one for each partition that is held, in the order of partitions.
#[derive(Debug, Default)]
pub(super) struct Lanes(BTreeMap<Partition, Lane>);

impl Lanes {
    /// Adds a lane, in place of an older one of its partition.
    pub(super) fn insert(&mut self, lane: Lane) {
        self.0.insert(lane.id.partition, lane);
    }

    /// Drops the lane of a partition.
    pub(super) fn remove(&mut self, partition: Partition) {
        self.0.remove(&partition);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lane of a partition.
    pub(super) fn of(&self, partition: Partition) -> Option<&Lane> {
        self.0.get(&partition)
    }

    /// The lane of a partition.
    pub(super) fn of_mut(&mut self, partition: Partition) -> Option<&mut Lane> {
        self.0.get_mut(&partition)
    }

    /// A lane, unless its lease is gone.
    pub(super) fn get(&self, id: LaneId) -> Option<&Lane> {
        self.0.get(&id.partition).filter(|lane| lane.id == id)
    }

    /// A lane, unless its lease is gone.
    pub(super) fn get_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.0.get_mut(&id.partition).filter(|lane| lane.id == id)
    }

    /// All lanes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.0.values()
    }

    /// All lanes.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.0.values_mut()
    }
}
