//! Replays and discards of many deliveries, carried out piece by piece.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Change, Filter, Operation};
use crate::journal::Position;

/// What an operator wants to be done with many deliveries.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Who asks for it, for the audit log.
    pub who: String,
    /// What is to be done.
    pub operation: Operation,
    /// To which deliveries.
    pub filter: Filter,
    /// The filter as people write it.
    pub query: String,
    /// How many deliveries it was about when it was asked for, if that was counted.
    pub expected: Option<u64>,
}

/// A job as the store has it. Its effect on a delivery and its progress are one transaction, so no delivery is done twice and none is
/// left out, whoever dies meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Grows with every job.
    #[serde(default)]
    pub number: u64,
    /// What is done.
    pub operation: Operation,
    /// To which deliveries, as people write it.
    pub query: String,
    /// Who asked for it.
    pub who: String,
    /// How far it is.
    pub state: JobState,
    /// By the store's clock, like all times of a job.
    pub created_at: Timestamp,
    /// When its first piece was carried out.
    pub started_at: Option<Timestamp>,
    /// When it was done or stopped.
    pub ended_at: Option<Timestamp>,
    /// Deliveries it was applied to so far.
    pub affected: u64,
    /// Deliveries that the filter selects and that it does not apply to.
    pub not_applicable: u64,
    /// Replay only: of those affected, newer messages of the same key were delivered before.
    pub overtaken: u64,
    /// How many it was expected to be.
    pub expected: Option<u64>,
    /// Who carries it out.
    pub worker: Option<String>,
    /// To which deliveries.
    pub filter: Filter,
    /// Everything up to here is done.
    pub upto: Position,
    /// What comes later is not part of it.
    pub until: Position,
    /// Until then nobody else carries it out.
    pub leased_until: Option<Timestamp>,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// No worker has begun.
    Waiting,
    /// At least one piece is done.
    Running,
    /// All of it is done.
    Done,
    /// Someone stopped it; what was done before stays.
    Stopped,
}

impl Job {
    /// Whether there is something left to do.
    pub fn is_open(&self) -> bool {
        matches!(self.state, JobState::Waiting | JobState::Running)
    }

    /// What the audit log says of a job that has ended.
    pub fn change(&self) -> Change {
        let action = match self.operation {
            Operation::Replay => "replay",
            Operation::Discard => "discard",
        };
        Change { who: self.who.clone(), action: action.into(), target: self.query.clone(), affected: self.affected }
    }
}
