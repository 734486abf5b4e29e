//! What a walk reads: the journal, what waits behind held keys, and parked deliveries that are due.
//!
//! Lanes that stand at the same place form a cohort and are read together. The largest cohort always has a reader of its
//! own; the one furthest behind has another, and reads up to where the next cohort stands, so that they become one. A lane
//! without room is in no cohort: it costs the others nothing, and catches up when it has room again.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Look, Walk};
use crate::engine::Action;
use crate::engine::lane::{Lane, LineId};
use crate::engine::mistakes::Mistake;
use crate::error::Result;
use crate::journal::{Batch, DueBatch, Entry, Epoch, HeldKey, Lease, Partition, Position, ReadRequest};
use crate::rules::route;

/// Parked deliveries in memory before no more are asked for.
const DUE_IN_MEMORY: usize = 512;
const DUE_LIMIT: usize = 256;
/// A hint that something was written may concern parked deliveries; asked about at most this often.
const DUE_HINT_INTERVAL: Duration = Duration::from_millis(100);
/// A read that failed is tried again after this long.
const RETRY: Duration = Duration::from_millis(200);

/// Batches that are in the works before no more is read. What waits for its turn gathers: with more of it, runs are longer, and a
/// sink is asked less often for as much.
const READ_AHEAD: usize = 4;

impl Walk {
    pub(in crate::engine) fn plan_reads(&mut self, look: &mut Look<'_>) {
        if look.now < self.read_not_before {
            return;
        }
        self.plan_key_reads(look);
        if self.reads >= 2 {
            return;
        }
        let cohorts = self.cohorts();
        let Some(main) = cohorts.iter().max_by_key(|(at, lanes)| (lanes.len(), **at)).map(|(at, _)| *at) else {
            return;
        };
        let last = cohorts.keys().next().copied().filter(|at| *at != main);
        for at in [Some(main), last].into_iter().flatten() {
            let until = cohorts.range(at..).nth(1).map_or(Position::END, |(next, _)| *next);
            let share = if at == main { 1 } else { 4 };
            self.read_cohort(look, &cohorts[&at], at, until, share);
        }
    }

    /// Lanes that can take more, by where they stand.
    fn cohorts(&self) -> BTreeMap<Position, Vec<(Partition, Epoch)>> {
        let mut cohorts: BTreeMap<Position, Vec<(Partition, Epoch)>> = BTreeMap::new();
        for lane in self.lanes.values().filter(|lane| self.has_room(lane)) {
            cohorts.entry(lane.asked_to).or_default().push((lane.partition, lane.epoch));
        }
        cohorts
    }

    fn has_room(&self, lane: &Lane) -> bool {
        let window = self.settings.window_messages;
        let stopped = self.mistakes.has(Mistake::HeldKeyStopsLane) && lane.held_keys() > 0;
        !lane.draining
            && !lane.reading
            && !stopped
            && !self.overfull(lane)
            && (self.mistakes.has(Mistake::UnboundedWindow)
                || (lane.unsettled < window
                    && lane.slots.len() < 8 * window
                    && lane.bytes < self.settings.window_bytes / 8))
    }

    /// Reads on for lanes that stand together, unless they are at the front or have enough to do.
    fn read_cohort(
        &mut self,
        look: &mut Look<'_>,
        lanes: &[(Partition, Epoch)],
        after: Position,
        until: Position,
        share: usize,
    ) {
        let busy: usize = lanes.iter().map(|(partition, _)| self.lanes[partition].unsettled).sum();
        let bytes: usize = lanes.iter().map(|(partition, _)| self.lanes[partition].bytes).sum();
        let limit = self.settings.read_batch;
        let arrived = self.arrived.iter().map(|(_, batch)| batch.entries.len()).sum::<usize>();
        let arrived_bytes =
            self.arrived.iter().flat_map(|(_, batch)| &batch.entries).map(|e| e.message.weight()).sum::<usize>();
        let enough = busy + arrived > READ_AHEAD * limit || bytes + arrived_bytes > self.settings.window_bytes / share;
        if after >= look.front || (enough && !self.mistakes.has(Mistake::UnboundedWindow)) {
            return;
        }
        let partitions: Vec<Partition> = lanes.iter().map(|(partition, _)| *partition).collect();
        for partition in &partitions {
            if let Some(lane) = self.lanes.get_mut(partition) {
                lane.reading = true;
            }
        }
        self.reads += 1;
        let max_bytes = self.settings.window_bytes / (2 * share);
        let request = ReadRequest { partitions, after, until, limit, max_bytes };
        look.actions.push(Action::Read { walk: self.index, lanes: lanes.to_vec(), request });
    }

    /// The journal's answer for a cohort. It is taken in by [`Walk::take_in`], after the next read has been asked for, so that
    /// the store reads while the lanes are busy.
    pub(in crate::engine) fn read(&mut self, now: Duration, lanes: Vec<(Partition, Epoch)>, result: Result<Batch>) {
        self.reads -= 1;
        let upto = result.as_ref().ok().map(|batch| batch.upto);
        for (partition, epoch) in &lanes {
            if let Some(lane) = self.lanes.get_mut(partition).filter(|lane| lane.epoch == *epoch) {
                lane.reading = false;
                lane.asked_to = upto.unwrap_or(lane.asked_to);
            }
        }
        match result {
            Ok(batch) => self.arrived.push_back((lanes, batch)),
            Err(_) => self.read_not_before = now + RETRY,
        }
    }

    /// Something was read and waits to be taken in.
    pub(in crate::engine) fn has_arrived(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Gives lanes what was read for them.
    pub(super) fn take_in(&mut self) {
        while let Some((lanes, batch)) = self.arrived.pop_front() {
            let still_open = |(partition, epoch): &&(Partition, Epoch)| {
                self.lanes.get(partition).is_some_and(|lane| lane.epoch == *epoch)
            };
            let lanes: Vec<Partition> = lanes.iter().filter(still_open).map(|(partition, _)| *partition).collect();
            for entry in batch.entries {
                if let Some(lane) = self.lanes.get_mut(&entry.partition)
                    && lanes.binary_search(&entry.partition).is_ok()
                    && route::takes(&self.dest.route, &self.dest.name, &entry.message)
                {
                    lane.walked(entry);
                }
            }
            for partition in lanes {
                if let Some(lane) = self.lanes.get_mut(&partition) {
                    lane.walked_to(batch.upto);
                    lane.end_guard_if_past();
                }
            }
        }
    }

    fn plan_key_reads(&mut self, look: &mut Look<'_>) {
        let limit = self.dest.max_run;
        for lane in self.lanes.values_mut().filter(|lane| !lane.draining) {
            while lane.unsettled < self.settings.window_messages
                && let Some(line) = lane.wants_key.pop()
            {
                let Some(held) = lane.key_to_read(line) else { continue };
                self.asks += 1;
                let lane = Lease { partition: lane.partition, epoch: lane.epoch, expired_before: false };
                look.actions.push(Action::ReadKey {
                    walk: self.index,
                    lane,
                    line,
                    held,
                    limit,
                    asked_at: self.commits,
                });
            }
        }
    }

    /// What waits behind a held key.
    pub(in crate::engine) fn key_read(
        &mut self,
        now: Duration,
        lane: Lease,
        line: LineId,
        held: &HeldKey,
        asked_at: u64,
        result: Result<Vec<Entry>>,
    ) {
        self.asks -= 1;
        let limit = self.dest.max_run;
        let Some(lane) = self.lanes.get_mut(&lane.partition).filter(|open| open.epoch == lane.epoch) else { return };
        match result {
            Ok(entries) => {
                let cut = entries.last().filter(|_| entries.len() >= limit).map(|entry| entry.position);
                let routed = |entry: &Entry| route::takes(&self.dest.route, &self.dest.name, &entry.message);
                let entries = entries.into_iter().filter(routed).collect();
                lane.held_read(line, cut.unwrap_or(held.until), entries, asked_at);
            }
            Err(_) => {
                self.read_not_before = now + RETRY;
                lane.held_read_failed(line);
            }
        }
    }

    pub(super) fn arm_due(&mut self, at: Duration) {
        self.due_at = Some(self.due_at.map_or(at, |armed| armed.min(at)));
    }

    /// Something was written: an operator may have asked for a delivery.
    pub(in crate::engine) fn hint_due(&mut self, now: Duration) {
        let earliest = self.due_asked_at.map_or(now, |asked| asked + DUE_HINT_INTERVAL);
        self.arm_due(earliest.max(now));
    }

    pub(super) fn can_ask_due(&self) -> bool {
        let in_memory: usize = self.lanes.values().map(Lane::parked_in_memory).sum();
        !self.due_asking && !self.paused && self.breaker.allows() && in_memory < DUE_IN_MEMORY && !self.lanes.is_empty()
    }

    pub(super) fn plan_due(&mut self, look: &mut Look<'_>) {
        if self.due_at.is_none_or(|at| at > look.now) || !self.can_ask_due() {
            return;
        }
        let lanes = self.lanes.values().filter(|lane| !lane.draining);
        let lanes: Vec<(Partition, Epoch)> = lanes.map(|lane| (lane.partition, lane.epoch)).collect();
        let in_memory: usize = self.lanes.values().map(Lane::parked_in_memory).sum();
        self.due_at = None;
        self.due_asked_at = Some(look.now);
        self.due_asking = true;
        self.asks += 1;
        let limit = DUE_LIMIT + in_memory;
        look.actions.push(Action::Due { walk: self.index, lanes, limit, asked_at: self.commits });
    }

    /// Parked deliveries whose time has come.
    pub(in crate::engine) fn due(
        &mut self,
        now: Duration,
        lanes: &[(Partition, Epoch)],
        limit: usize,
        asked_at: u64,
        result: Result<DueBatch>,
    ) {
        self.asks -= 1;
        self.due_asking = false;
        let Ok(batch) = result else { return self.arm_due(now + RETRY) };
        if let Some(next_in) = batch.next_in {
            self.arm_due(now + next_in);
        }
        let complete = batch.deliveries.len() < limit;
        if !complete {
            self.arm_due(now);
        }
        for due in batch.deliveries {
            let partition = due.entry.partition;
            if let Some(lane) = self.lanes.get_mut(&partition)
                && lanes.contains(&(partition, lane.epoch))
            {
                lane.due(due, asked_at);
            }
        }
        for lane in self.lanes.values_mut().filter(|lane| complete && lanes.contains(&(lane.partition, lane.epoch))) {
            lane.due_seen();
        }
    }
}
