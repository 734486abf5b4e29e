//! Recording what was settled: many settlements, one transaction, one at a time.

use std::time::Duration;

use super::{Look, Walk};
use crate::engine::Action;
use crate::engine::lane::Lane;
use crate::error::Result;
use crate::journal::{Epoch, LaneCommit, Partition};

/// Cursors that only passed messages of other destinations are written this often; a purge waits for them.
pub(super) const PASSED_INTERVAL: Duration = Duration::from_secs(5);
/// A commit that failed is tried again after this long.
const RETRY: Duration = Duration::from_millis(100);

impl Walk {
    pub(super) fn plan_commit(&mut self, look: &mut Look<'_>) {
        let dirty = self.lanes.values().any(Lane::is_dirty);
        let passed = self.lanes.values().any(Lane::has_passed);
        self.dirty_since = dirty.then(|| self.dirty_since.unwrap_or(look.now));
        self.passed_since = passed.then(|| self.passed_since.unwrap_or(look.now));
        if self.committing.is_some() || look.now < self.commit_not_before {
            return;
        }
        let passed_is_due = self.passed_since.is_some_and(|since| look.now >= since + PASSED_INTERVAL);
        let everything = passed_is_due || (look.stopping && passed);
        if !(everything || self.commit_is_due(look)) {
            return;
        }
        let lanes = self.lanes.values_mut().filter(|lane| lane.is_dirty() || (everything && lane.has_passed()));
        let commits: Vec<LaneCommit> = lanes.map(Lane::begin_commit).collect();
        if commits.is_empty() {
            return;
        }
        self.committing = Some(commits.iter().map(|commit| (commit.partition, commit.epoch)).collect());
        self.settled = 0;
        self.dirty_since = None;
        if everything {
            self.passed_since = None;
        }
        look.actions.push(Action::Commit { walk: self.index, commits });
    }

    fn commit_is_due(&self, look: &Look<'_>) -> bool {
        let Some(since) = self.dirty_since else { return false };
        let waited_for = |lane: &Lane| lane.is_dirty() && (lane.is_vouching() || lane.draining);
        look.stopping
            || look.now >= since + self.settings.commit_interval
            || self.settled >= self.settings.commit_batch
            || self.lanes.values().any(waited_for)
    }

    /// The store's answer. Returns the lanes whose lease is gone.
    pub(in crate::engine) fn committed(
        &mut self,
        now: Duration,
        result: Result<Vec<Partition>>,
    ) -> Vec<(Partition, Epoch)> {
        let lanes = self.committing.take().unwrap_or_default();
        let refused = match &result {
            Ok(refused) => {
                self.commits += 1;
                refused.as_slice()
            }
            Err(_) => {
                self.commit_not_before = now + RETRY;
                &[]
            }
        };
        let mut gone = Vec::new();
        for (partition, epoch) in lanes {
            let Some(lane) = self.lanes.get_mut(&partition).filter(|lane| lane.epoch == epoch) else { continue };
            if result.is_err() {
                lane.commit_failed();
            } else if refused.contains(&partition) {
                gone.push((partition, epoch));
            } else {
                let parks = lane.committed(self.commits);
                lane.end_guard_if_past();
                for due_in in parks.iter().filter_map(|park| park.due_in) {
                    self.arm_due(now + due_in);
                }
            }
        }
        if self.asks == 0 {
            self.lanes.values_mut().for_each(Lane::prune_touched);
        }
        gone
    }
}
