//! Workers and partitions: who holds what, what has moved, and what endangers the store.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use posthaste::inspect::{PartitionStatus, WorkerStatus};
use posthaste::journal::{Epoch, Partition};
use serde::Serialize;

use super::App;
use super::problem::Problem;
use crate::clock;
use crate::health::dangers::{Danger, dangers};

/// Moves that are remembered.
const REMEMBERED: usize = 200;

#[derive(Serialize)]
pub struct Answer {
    workers: Vec<WorkerStatus>,
    partitions: Vec<PartitionStatus>,
    /// The newest first, as far as this process has looked.
    moves: Vec<Move>,
    dangers: Vec<Danger>,
}

/// A partition went from one worker to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    at: Timestamp,
    partition: Partition,
    from: Option<String>,
    to: Option<String>,
    epoch: Epoch,
}

/// What was seen of the partitions, look by look.
#[derive(Debug, Default)]
pub struct Moves {
    last: Vec<PartitionStatus>,
    seen: Vec<Move>,
}

impl Moves {
    /// Takes note of who holds what now.
    pub fn look(&mut self, now: &[PartitionStatus], at: Timestamp) {
        for (before, now) in self.last.iter().zip(now) {
            let holder =
                |status: &PartitionStatus| status.worker.clone().filter(|_| status.expires_in_seconds.is_some());
            if before.partition == now.partition && (before.epoch, holder(before)) != (now.epoch, holder(now)) {
                let (from, to) = (holder(before), holder(now));
                self.seen.insert(0, Move { at, partition: now.partition, from, to, epoch: now.epoch });
            }
        }
        self.seen.truncate(REMEMBERED);
        self.last = now.to_vec();
    }
}

/// Who holds what now, of which note is taken.
pub async fn look(app: &App) -> posthaste::Result<Vec<PartitionStatus>> {
    let partitions = app.operator().leases().await?;
    app.moves().look(&partitions, clock::now());
    Ok(partitions)
}

pub async fn list(State(app): State<App>) -> Result<Json<Answer>, Problem> {
    let overview = app.overview().await?;
    let partitions = look(&app).await?;
    let moves = app.moves().seen.clone();
    Ok(Json(Answer { workers: overview.workers.clone(), partitions, moves, dangers: dangers(&overview) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_that_changes_hands_has_moved() {
        let held = |worker: Option<&str>, epoch| PartitionStatus {
            partition: Partition::new(3),
            worker: worker.map(Into::into),
            epoch: Epoch::new(epoch),
            expires_in_seconds: worker.map(|_| 9.0),
        };
        let (mut moves, at) = (Moves::default(), Timestamp::UNIX_EPOCH);
        for status in [held(Some("a"), 1), held(Some("a"), 1), held(None, 1), held(Some("b"), 2)] {
            moves.look(&[status], at);
        }
        let said: Vec<_> = moves.seen.iter().map(|one| (one.from.as_deref(), one.to.as_deref())).collect();
        assert_eq!(said, [(None, Some("b")), (Some("a"), None)], "the newest first");
    }
}
