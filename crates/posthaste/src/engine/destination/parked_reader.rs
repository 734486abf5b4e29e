//! Asking for parked deliveries whose time has come.

use std::time::Duration;

use super::{DestinationRequest, DestinationState, Heard, LaneId, Pass};
use crate::engine::outbox::Pending;
use crate::engine::protocol::StoreCall;
use crate::journal::{DueBatch, ParkedState};
use crate::rules::route;

/// Parked deliveries in memory before no more are asked for.
const DUE_IN_MEMORY: usize = 512;
/// Parked deliveries that are asked for at once, beside those in memory.
const DUE_LIMIT: usize = 256;
/// A hint that something was written may concern parked deliveries; asked about at most this often.
const HINT_INTERVAL: Duration = Duration::from_millis(100);
/// A request that failed is made again after this long.
const RETRY: Duration = Duration::from_millis(200);

/// When to ask for due deliveries.
#[derive(Debug, Default)]
pub(super) struct ParkedReader {
    at: Option<Duration>,
    asked_at: Option<Duration>,
    under_way: bool,
    /// Lanes that were opened and have had no answer yet.
    opened: Vec<LaneId>,
}

impl ParkedReader {
    /// Asks at this time, or earlier if that was planned.
    pub(super) fn ask_at(&mut self, at: Duration) {
        self.at = Some(self.at.map_or(at, |planned| planned.min(at)));
    }

    /// A lane was opened: operators may have asked for something while nobody held its partition.
    pub(super) fn opened(&mut self, lane: LaneId, now: Duration) {
        self.opened.push(lane);
        self.ask_at(now);
    }

    /// Asks now, whatever was planned.
    pub(super) fn ask_at_once(&mut self, now: Duration) {
        self.at = Some(now);
    }

    /// Something was written: an operator may have asked for a delivery.
    pub(super) fn hint(&mut self, now: Duration) {
        let earliest = self.asked_at.map_or(now, |asked| asked + HINT_INTERVAL);
        self.ask_at(earliest.max(now));
    }

    /// When to ask next.
    pub(super) fn wake_at(&self) -> Option<Duration> {
        self.at
    }

    fn asked(&mut self, now: Duration) {
        (self.at, self.asked_at, self.under_way) = (None, Some(now), true);
    }
}

impl DestinationState {
    fn parked_in_memory(&self) -> usize {
        self.lanes.iter().map(|lane| lane.memory.parked()).sum()
    }

    /// Whether due deliveries could be handed over, so that it makes sense to ask for them.
    pub(super) fn can_ask_due(&self) -> bool {
        !self.parked_reader.under_way
            && self.scheduler.is_open()
            && self.parked_in_memory() < DUE_IN_MEMORY
            && !self.lanes.is_empty()
    }

    /// Asks for parked deliveries, if some may be due.
    pub(super) fn ask_due(&mut self, pass: &mut Pass<'_>) {
        if pass.stopping || self.parked_reader.at.is_none_or(|at| at > pass.now) || !self.can_ask_due() {
            return;
        }
        let lanes: Vec<LaneId> = self.lanes.iter().filter(|lane| !lane.draining).map(|lane| lane.id).collect();
        let limit = DUE_LIMIT + self.parked_in_memory();
        self.parked_reader.asked(pass.now);
        let partitions = lanes.iter().map(|lane| lane.partition).collect();
        let call = StoreCall::Due { destination: self.dest.name.clone(), partitions, limit };
        let request = DestinationRequest::Due { lanes, limit, commits: self.committer.answer_awaited() };
        pass.outbox.request(call, Pending::Of(self.index, request));
    }

    /// Parked deliveries whose time has come.
    pub(super) fn take_due(
        &mut self,
        lanes: &[LaneId],
        limit: usize,
        commits: u64,
        batch: DueBatch,
        heard: &mut Heard<'_>,
    ) {
        let now = heard.now;
        self.committer.answer_came();
        self.parked_reader.under_way = false;
        if let Some(next_in) = batch.next_in {
            self.parked_reader.ask_at(now + next_in);
        }
        let complete = batch.deliveries.len() < limit;
        self.recall_opened(lanes, !batch.deliveries.is_empty() || batch.next_in.is_some());
        if !complete {
            self.parked_reader.ask_at(now);
        }
        for due in batch.deliveries {
            let lane = self.lanes.of_mut(due.entry.partition).filter(|lane| lanes.contains(&lane.id));
            let Some(lane) = lane else { continue };
            if due.state == ParkedState::Awaiting {
                let lane = lane.id;
                self.answer_ended(lane, due, commits, heard);
            } else {
                let admission = route::filtered(&self.dest, &due.entry.message);
                lane.take_due(due, commits, admission);
            }
        }
        if complete {
            self.lanes.iter_mut().filter(|lane| lanes.contains(&lane.id)).for_each(|lane| lane.due_seen());
        }
    }

    /// The holder before may have put something aside without knowing that its tenant was resumed. If anything is parked, it is looked at
    /// again in the lanes whose first answer this is.
    fn recall_opened(&mut self, answered: &[LaneId], anything_parked: bool) {
        let lanes = &mut self.lanes;
        self.parked_reader.opened.retain(|id| {
            let Some(lane) = lanes.get_mut(*id) else { return false };
            let is_answered = answered.contains(id);
            if is_answered && anything_parked {
                lane.recall();
            }
            !is_answered
        });
    }

    /// Nothing is known about due deliveries.
    pub(super) fn due_not_read(&mut self, now: Duration) {
        self.committer.answer_came();
        self.parked_reader.under_way = false;
        self.parked_reader.ask_at(now + RETRY);
    }
}
