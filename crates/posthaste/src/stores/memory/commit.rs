//! What lanes record.

use super::core::Core;
use crate::error::Result;
use crate::journal::{LaneCommit, Partition};

impl Core {
    /// See [`crate::journal::Journal::commit`].
    pub fn commit(&mut self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        for commit in commits {
            self.known(&commit.destination)?;
        }
        let mut refused = Vec::new();
        for commit in commits {
            let Some(worker) = self.fence(commit.partition, commit.epoch).cloned() else {
                refused.push(commit.partition);
                continue;
            };
            let now = self.now;
            self.known_mut(&commit.destination)?.lane_mut(commit.partition).apply(commit, &worker, now);
            self.append(commit.letters.iter().cloned());
        }
        refused.sort_unstable();
        refused.dedup();
        Ok(refused)
    }
}
