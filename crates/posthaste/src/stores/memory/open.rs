//! Where the lanes of a destination stand.

use std::collections::BTreeSet;

use super::core::Core;
use super::lane::Lane;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{LaneState, Lease, Partition};

impl Core {
    /// See [`crate::journal::Journal::open`].
    pub fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        let known = self.known(destination)?;
        let held = leases.iter().filter(|lease| self.fence(lease.partition, lease.epoch).is_some());
        Ok(held.map(|lease| self.lane_state(lease.partition, known.lane(lease.partition))).collect())
    }

    fn lane_state(&self, partition: Partition, lane: &Lane) -> LaneState {
        let holding = lane.parked.values().filter(|parked| parked.holds);
        let with_head: BTreeSet<_> = holding.filter_map(|parked| parked.key.as_ref()).collect();
        LaneState {
            partition,
            cursor: lane.cursor.clone(),
            held: lane.held.values().map(|held| (held.clone(), with_head.contains(&held.key))).collect(),
        }
    }
}
