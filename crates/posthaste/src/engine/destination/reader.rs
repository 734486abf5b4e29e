//! Reading ahead in the journal.
//!
//! Lanes that stand at the same place form a cohort and are read together. The largest cohort always has a reader of its
//! own; the one furthest behind has another, and reads up to where the next cohort stands, so that they become one. A lane
//! without room is in no cohort: it costs the others nothing, and catches up when it has room again.

use std::collections::VecDeque;
use std::time::Duration;

use super::lanes::Lanes;
use super::{DestinationRequest, Lane, LaneId, Pass};
use crate::destination::Destination;
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::engine::outbox::Pending;
use crate::engine::protocol::{DestinationIndex, StoreCall};
use crate::journal::{Batch, Partition, Position, ReadRequest};
use crate::rules::route;
use crate::settings::Settings;

/// A read that failed is tried again after this long.
const RETRY: Duration = Duration::from_millis(200);

/// Reads that may be under way at the same time.
const MOST_READS: usize = 2;

/// Batches that are in the works before no more is read. What waits for its turn gathers: with more of it, runs are longer, and a
/// sink is asked less often for as much.
const READ_AHEAD: usize = 2;

/// So many destinations may read ahead as far as the settings say. More of them share what these may have in memory.
const FULL_READERS: usize = 4;

/// How much may be in memory.
#[derive(Debug)]
struct Limits {
    window_messages: usize,
    window_bytes: usize,
    read_batch: usize,
    held_keys: usize,
    /// Most messages of a lane, at a worker that shares with nobody.
    lane: usize,
}

/// What was read for some lanes and is not taken in yet.
#[derive(Debug)]
struct Arrived {
    lanes: Vec<LaneId>,
    batch: Batch,
}

/// A lane that can take more, where it stands, and how much it has to do.
#[derive(Debug, Clone, Copy)]
struct Standing {
    at: Position,
    lane: LaneId,
    /// In memory, or set aside: that counts until the store has it, since a store that is slow would get ever more of it in one commit.
    messages: usize,
    bytes: usize,
}

/// Lanes that stand at the same place.
struct Cohort<'a> {
    lanes: &'a [Standing],
    after: Position,
    until: Position,
    /// What part of the window in bytes it may use, as a divisor.
    share: usize,
}

/// Reads ahead for the lanes of one destination.
#[derive(Debug)]
pub(super) struct Reader {
    limits: Limits,
    mistakes: Mistakes,
    arrived: VecDeque<Arrived>,
    under_way: usize,
    not_before: Duration,
}

impl Reader {
    /// A reader that has read nothing, of one of so many destinations.
    pub(super) fn new(settings: &Settings, destinations: usize, mistakes: Mistakes) -> Self {
        let share = |of: usize| (of.saturating_mul(FULL_READERS) / destinations.max(FULL_READERS)).max(1);
        let limits = Limits {
            window_messages: settings.window_messages,
            window_bytes: share(settings.window_bytes),
            read_batch: share(settings.read_batch),
            held_keys: settings.max_held_keys,
            lane: settings.window_messages + settings.read_batch,
        };
        Self { limits, mistakes, arrived: VecDeque::new(), under_way: 0, not_before: Duration::ZERO }
    }

    /// Whether reading did not fail just now.
    pub(super) fn may_read(&self, now: Duration) -> bool {
        now >= self.not_before
    }

    /// When to read again after a failure.
    pub(super) fn wake_at(&self, now: Duration) -> Option<Duration> {
        Some(self.not_before).filter(|at| *at > now)
    }

    /// The store could not be read; it is asked again a moment later.
    pub(super) fn wait_before_retry(&mut self, now: Duration) {
        self.not_before = now + RETRY;
    }

    /// Messages that were read and are not taken in.
    pub(super) fn arrived(&self) -> usize {
        self.arrived.iter().map(|arrived| arrived.batch.entries.len()).sum()
    }

    /// Most messages that a lane may have in memory at any worker, also at one with fewer destinations.
    pub(super) fn most_in_memory(&self) -> usize {
        self.limits.lane
    }

    /// Whether a lane has so many held keys that it stops reading.
    pub(super) fn is_overfull(&self, lane: &Lane) -> bool {
        lane.held_keys() > self.limits.held_keys
    }

    /// Whether a lane may take what waits behind its held keys.
    pub(super) fn has_room_for_waiting(&self, lane: &Lane) -> bool {
        lane.memory.messages < self.limits.window_messages
    }

    fn has_room(&self, lane: &Lane) -> bool {
        let window = self.limits.window_messages;
        let stopped = self.mistakes.has(Mistake::HeldKeyStopsLane) && lane.held_keys() > 0;
        !lane.draining
            && !lane.reading.under_way
            && !stopped
            && !self.is_overfull(lane)
            && (self.mistakes.has(Mistake::UnboundedWindow)
                || (lane.memory.messages < window
                    && lane.cursor.len() < 8 * window
                    && lane.memory.bytes < self.limits.window_bytes / 8))
    }

    /// Asks the store for what comes next.
    pub(super) fn read_on(&mut self, index: DestinationIndex, lanes: &mut Lanes, pass: &mut Pass<'_>) {
        // Mostly there is nothing to read, and no cohorts are formed to find that out.
        let is_behind = |lane: &Lane| lane.reading.read_to < pass.front && self.has_room(lane);
        if self.under_way >= MOST_READS || !lanes.iter().any(is_behind) {
            return;
        }
        let standing = self.standing(lanes);
        let cohorts = || standing.chunk_by(|one, next| one.at == next.at);
        let Some(main) = cohorts().max_by_key(|cohort| (cohort.len(), cohort[0].at)) else { return };
        let last = cohorts().next().filter(|cohort| cohort[0].at != main[0].at);
        for (cohort, share) in [Some((main, 1)), last.map(|last| (last, 4))].into_iter().flatten() {
            let after = cohort[0].at;
            let next = standing.get(standing.partition_point(|lane| lane.at <= after));
            let until = next.map_or(Position::END, |lane| lane.at);
            self.read_cohort(index, lanes, &Cohort { lanes: cohort, after, until, share }, pass);
        }
    }

    /// Lanes that can take more: those that stand together, one after another.
    fn standing(&self, lanes: &Lanes) -> Vec<Standing> {
        let stands = |lane: &Lane| Standing {
            at: lane.reading.read_to,
            lane: lane.id,
            messages: lane.memory.messages + lane.being_parked(),
            bytes: lane.memory.bytes,
        };
        let mut standing: Vec<_> = lanes.iter().filter(|lane| self.has_room(lane)).map(stands).collect();
        standing.sort_unstable_by_key(|lane| (lane.at, lane.lane));
        standing
    }

    /// Reads on for lanes that stand together, unless they are at the front or have enough to do.
    fn read_cohort(&mut self, index: DestinationIndex, lanes: &mut Lanes, cohort: &Cohort<'_>, pass: &mut Pass<'_>) {
        let enough = self.has_enough(cohort) && !self.mistakes.has(Mistake::UnboundedWindow);
        if cohort.after >= pass.front || enough {
            return;
        }
        let ids: Vec<LaneId> = cohort.lanes.iter().map(|standing| standing.lane).collect();
        for id in &ids {
            if let Some(lane) = lanes.get_mut(*id) {
                lane.reading.under_way = true;
            }
        }
        self.under_way += 1;
        let request = ReadRequest {
            partitions: ids.iter().map(|lane| lane.partition).collect(),
            after: cohort.after,
            until: cohort.until,
            limit: self.limits.read_batch,
            max_bytes: self.limits.window_bytes / (2 * cohort.share),
        };
        let pending = DestinationRequest::Read { lanes: ids };
        pass.outbox.request(StoreCall::Read(request), Pending::Of(index, pending));
    }

    /// Whether the lanes of a cohort have enough to do for now.
    fn has_enough(&self, cohort: &Cohort<'_>) -> bool {
        let arrived = || self.arrived.iter().flat_map(|arrived| &arrived.batch.entries);
        let messages = cohort.lanes.iter().map(|lane| lane.messages).sum::<usize>() + self.arrived();
        let bytes = cohort.lanes.iter().map(|lane| lane.bytes).sum::<usize>()
            + arrived().map(|entry| entry.message.weight()).sum::<usize>();
        messages > READ_AHEAD * self.limits.read_batch || bytes > self.limits.window_bytes / cohort.share
    }

    /// The journal's answer for a cohort. It is taken in by [`Reader::take_in`], after the next read has been asked for, so that
    /// the store reads while the lanes are busy.
    pub(super) fn arrive(&mut self, ids: Vec<LaneId>, batch: Batch, lanes: &mut Lanes) {
        self.under_way -= 1;
        for id in &ids {
            if let Some(lane) = lanes.get_mut(*id) {
                lane.reading.under_way = false;
                lane.reading.read_to = batch.upto;
            }
        }
        self.arrived.push_back(Arrived { lanes: ids, batch });
    }

    /// The journal could not be read for a cohort.
    pub(super) fn failed(&mut self, now: Duration, ids: &[LaneId], lanes: &mut Lanes) {
        self.under_way -= 1;
        self.wait_before_retry(now);
        for id in ids {
            if let Some(lane) = lanes.get_mut(*id) {
                lane.reading.under_way = false;
            }
        }
    }

    /// Gives lanes what was read for them.
    pub(super) fn take_in(&mut self, dest: &Destination, lanes: &mut Lanes) {
        while let Some(Arrived { lanes: ids, batch }) = self.arrived.pop_front() {
            let open: Vec<Partition> =
                ids.iter().filter(|id| lanes.get(**id).is_some()).map(|id| id.partition).collect();
            for entry in batch.entries {
                if let Some(lane) = lanes.of_mut(entry.partition)
                    && open.binary_search(&entry.partition).is_ok()
                    && let Some(unfit) = route::admission(dest, &entry.message).unfit()
                {
                    lane.take_entry(entry, unfit);
                }
            }
            for partition in open {
                if let Some(lane) = lanes.of_mut(partition) {
                    lane.taken_up_to(batch.upto);
                }
            }
        }
    }
}
