//! Recording what was settled: many settlements, one transaction, one at a time.

use std::time::Duration;

use super::lanes::Lanes;
use super::{DestinationRequest, DestinationState, Lane, LaneId, Pass};
use crate::destination::Name;
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::engine::outbox::Pending;
use crate::engine::protocol::{DestinationIndex, StoreCall, StoreFailure};
use crate::journal::{LaneCommit, Partition};
use crate::settings::Settings;

/// Cursors that only passed messages of other destinations are written this often; a purge waits for them.
const PASSED_INTERVAL: Duration = Duration::from_secs(5);
/// A commit that failed is tried again after this long.
const RETRY: Duration = Duration::from_millis(100);

/// When to record what lanes decided.
#[derive(Debug)]
pub(super) struct Committer {
    interval: Duration,
    batch: usize,
    mistakes: Mistakes,
    /// How many commits the store has confirmed.
    number: u64,
    /// Requests to the store whose answers may be older than the next commit.
    answers_awaited: usize,
    under_way: bool,
    not_before: Duration,
    /// Since when something waits to be recorded.
    unsaved_since: Option<Duration>,
    /// Since when a cursor waits that only passed messages of other destinations.
    passed_since: Option<Duration>,
    /// Settlements since the last commit.
    settled: usize,
}

impl Committer {
    /// A committer with nothing to record.
    pub(super) fn new(settings: &Settings, mistakes: Mistakes) -> Self {
        Self {
            interval: settings.commit_interval,
            batch: settings.commit_batch,
            mistakes,
            number: 0,
            answers_awaited: 0,
            under_way: false,
            not_before: Duration::ZERO,
            unsaved_since: None,
            passed_since: None,
            settled: 0,
        }
    }

    /// So many more deliveries are settled.
    pub(super) fn settled(&mut self, deliveries: usize) {
        self.settled += deliveries;
    }

    /// A request is made whose answer may be older than the next commit. Returns the number of commits so far.
    pub(super) fn answer_awaited(&mut self) -> u64 {
        self.answers_awaited += 1;
        self.number
    }

    /// The answer to such a request has come.
    pub(super) fn answer_came(&mut self) {
        self.answers_awaited -= 1;
    }

    /// When to commit although nothing happens.
    pub(super) fn wake_at(&self) -> Option<Duration> {
        if self.under_way {
            return None;
        }
        let unsaved = self.unsaved_since.map(|since| since + self.interval);
        let passed = self.passed_since.map(|since| since + PASSED_INTERVAL);
        [unsaved, passed].into_iter().flatten().min().map(|at| at.max(self.not_before))
    }

    /// Records what gathered, if it is time.
    pub(super) fn commit_if_due(
        &mut self,
        index: DestinationIndex,
        name: &Name,
        lanes: &mut Lanes,
        pass: &mut Pass<'_>,
    ) {
        let unsaved = lanes.iter().any(Lane::has_unsaved_changes);
        let passed = lanes.iter().any(Lane::has_only_passed);
        self.unsaved_since = unsaved.then(|| self.unsaved_since.unwrap_or(pass.now));
        self.passed_since = passed.then(|| self.passed_since.unwrap_or(pass.now));
        if self.under_way || pass.now < self.not_before {
            return;
        }
        let passed_is_due = self.passed_since.is_some_and(|since| pass.now >= since + PASSED_INTERVAL);
        let everything = passed_is_due || (pass.stopping && passed);
        if everything || self.is_due(lanes, pass) {
            self.commit(index, name, lanes, everything, pass);
        }
    }

    fn is_due(&self, lanes: &Lanes, pass: &Pass<'_>) -> bool {
        let Some(since) = self.unsaved_since else { return false };
        pass.stopping
            || pass.now >= since + self.interval
            || self.settled >= self.batch
            || lanes.iter().any(Lane::awaits_commit)
    }

    fn commit(
        &mut self,
        index: DestinationIndex,
        name: &Name,
        lanes: &mut Lanes,
        everything: bool,
        pass: &mut Pass<'_>,
    ) {
        let wanted = |lane: &&mut Lane| lane.has_unsaved_changes() || (everything && lane.has_only_passed());
        let commits: Vec<LaneCommit> = lanes.iter_mut().filter(wanted).map(|lane| lane.begin_commit(name)).collect();
        if commits.is_empty() {
            return;
        }
        self.under_way = true;
        self.settled = 0;
        self.unsaved_since = None;
        if everything {
            self.passed_since = None;
        }
        let id = |commit: &LaneCommit| LaneId { partition: commit.partition, epoch: commit.epoch };
        let request = DestinationRequest::Commit { lanes: commits.iter().map(id).collect() };
        pass.outbox.request(StoreCall::Commit(commits), Pending::Of(index, request));
    }
}

impl DestinationState {
    /// The store has recorded what these lanes decided, but for the refused ones. Returns those, whose lease is gone.
    pub(super) fn committed(&mut self, now: Duration, lanes: &[LaneId], refused: &[Partition]) -> Vec<LaneId> {
        self.committer.under_way = false;
        self.committer.number += 1;
        let is_refused = |lane: &LaneId| refused.contains(&lane.partition);
        for id in lanes.iter().filter(|lane| !is_refused(lane)) {
            let Some(lane) = self.lanes.get_mut(*id) else { continue };
            if let Some(due_in) = lane.committed(self.committer.number) {
                self.parked_reader.ask_at(now + due_in);
            }
        }
        self.forget_touched();
        lanes.iter().copied().filter(is_refused).filter(|lane| self.lanes.get(*lane).is_some()).collect()
    }

    /// A commit was not confirmed. Returns the lanes that have to start over with a lease of another epoch.
    ///
    /// One that failed is made again. One that got no answer in time may come to life later and undo what is decided meanwhile;
    /// another epoch fences it.
    pub(super) fn commit_failed(
        &mut self,
        now: Duration,
        mut lanes: Vec<LaneId>,
        failure: Option<StoreFailure>,
    ) -> Vec<LaneId> {
        self.committer.under_way = false;
        lanes.retain(|lane| self.lanes.get(*lane).is_some());
        if failure == Some(StoreFailure::TimedOut) && !self.committer.mistakes.has(Mistake::LateCommitIgnored) {
            return lanes;
        }
        self.committer.not_before = now + RETRY;
        for id in lanes {
            if let Some(lane) = self.lanes.get_mut(id) {
                lane.commit_failed();
            }
        }
        self.forget_touched();
        Vec::new()
    }

    /// Forgets which positions the store was told about, once no older answer can arrive.
    fn forget_touched(&mut self) {
        if self.committer.answers_awaited == 0 {
            self.lanes.iter_mut().for_each(Lane::forget_touched);
        }
    }
}
