//! Everything a lane asks before it delivers.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included};

use super::core::{Core, Stored};
use super::lane::{Lane, Parked};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Due, DueBatch, Entry, HeldKey, LaneState, Lease, Partition, Position, ReadRequest};
use crate::message::{Message, OrderKey};

impl Core {
    /// See [`crate::journal::Journal::open`].
    pub fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        let known = self.known(destination)?;
        let held = leases.iter().filter(|lease| self.fence(lease.partition, lease.epoch).is_some());
        Ok(held.map(|lease| self.lane_state(lease.partition, known.lane(lease.partition))).collect())
    }

    fn lane_state(&self, partition: Partition, lane: &Lane) -> LaneState {
        let first_due = lane.parked.values().filter_map(|parked| lane.ready_at(parked)).min();
        let holding = lane.parked.values().filter(|parked| parked.holds);
        let with_head: BTreeSet<_> = holding.filter_map(|parked| parked.key.as_ref()).collect();
        LaneState {
            partition,
            cursor: lane.cursor.clone(),
            held: lane.held.values().map(|held| (held.clone(), with_head.contains(&held.key))).collect(),
            next_due_in: first_due.map(|at| at.saturating_sub(self.now)),
        }
    }

    /// See [`crate::journal::Journal::read`].
    pub fn read(&self, request: &ReadRequest) -> Batch {
        let mut entries = Vec::new();
        let mut bytes = 0;
        for (&position, stored) in self.span(request.after, request.until) {
            if request.partitions.binary_search(&stored.partition).is_err() {
                continue;
            }
            if entries.len() >= request.limit || bytes >= request.max_bytes && !entries.is_empty() {
                let upto = entries.last().map_or(request.after, |entry: &Entry| entry.position);
                return Batch { entries, upto };
            }
            bytes += stored.message.weight();
            entries.push(self.entry(position, stored));
        }
        Batch { entries, upto: self.newest.min(request.until).max(request.after) }
    }

    /// See [`crate::journal::Journal::read_key`].
    pub fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        let known = self.known(destination)?;
        let waits = |(position, stored): &(&Position, &Stored)| {
            stored.partition == partition
                && is_of_key(&stored.message, &held.key)
                && !known.lane(partition).parked.contains_key(position)
        };
        let span = self.span(held.after, held.until).filter(waits);
        Ok(span.take(limit).map(|(&position, stored)| self.entry(position, stored)).collect())
    }

    /// What lies in `(after, until]`.
    fn span(&self, after: Position, until: Position) -> impl Iterator<Item = (&Position, &Stored)> {
        // `range` refuses an end before its start.
        let until = until.max(after);
        self.journal.range((Excluded(after), Included(until)))
    }

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
            kills: parked.kills,
            progress: parked.progress.clone(),
        })
    }
}

pub(super) fn is_of_key(message: &Message, key: &OrderKey) -> bool {
    message.key.as_ref() == Some(&key.key) && message.tenant == key.tenant
}
