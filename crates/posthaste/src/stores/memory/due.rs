//! Parked deliveries whose time has come.

use super::core::Core;
use super::lane::Parked;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Due, DueBatch, Partition, Position};

impl Core {
    /// See [`crate::journal::Journal::due`].
    pub fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        let known = self.known(destination)?;
        let mut ready = Vec::new();
        let mut next_in = None;
        for lane in partitions.iter().filter_map(|&partition| known.lanes.get(partition.index())) {
            for (&position, parked) in &lane.parked {
                match lane.ready_at(parked) {
                    Some(at) if at <= self.now => ready.push((at, position, parked)),
                    Some(at) => next_in = Some(next_in.map_or(at - self.now, |next| (at - self.now).min(next))),
                    None => {}
                }
            }
        }
        ready.sort_by_key(|&(at, position, _)| (at, position));
        let deliveries = ready.into_iter().filter_map(|(_, position, parked)| self.due_delivery(position, parked));
        Ok(DueBatch { deliveries: deliveries.take(limit).collect(), next_in })
    }

    fn due_delivery(&self, position: Position, parked: &Parked) -> Option<Due> {
        Some(Due {
            entry: self.entry(position, self.journal.get(&position)?),
            state: parked.state,
            holds: parked.holds,
            attempts: parked.attempts,
            suspicion: parked.suspicion,
            progress: parked.progress.clone(),
        })
    }
}
