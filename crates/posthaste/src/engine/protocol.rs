//! What the engine says and hears.
//!
//! A request to the store is one type, and its answer comes back with the request's id; what the engine wants to remember about
//! it stays in the engine. Runs leave the engine inside a [`HandOver`], which gives them out only while their leases last.

use std::sync::Arc;
use std::time::Duration;

use super::mistakes::{Mistake, Mistakes};
use crate::destination::{Destination, Name};
use crate::journal::{
    Batch, DueBatch, Grant, HeldKey, LaneCommit, LaneState, Lease, Partition, Position, Purged, ReadRequest,
    WorkerReport,
};
use crate::message::{Message, MessageId};
use crate::sink::{self, Outcome, Run};

/// Identifies a request to the store.
pub(crate) type RequestId = u64;
/// Identifies a hand-over to a sink.
pub(crate) type HandOverId = u64;
/// The place of a destination among those that the engine was given.
pub(crate) type DestinationIndex = usize;

/// What to do.
#[derive(Debug)]
pub(crate) enum Action {
    /// Ask the store. Answered by [`Input::Answered`].
    Request(StoreRequest),
    /// Hand runs to their sink. Answered by [`Input::Delivered`], or by what [`HandOver::take`] says.
    HandOver(HandOver),
    /// Nobody waits for these hand-overs any more. Has no answer.
    Cancel {
        /// The hand-overs.
        ids: Vec<HandOverId>,
    },
    /// Ask a sink whether its destination is within reach. Answered by [`Input::Probed`].
    Probe {
        /// Whose sink.
        destination: DestinationIndex,
    },
}

/// A request to the store.
#[derive(Debug)]
pub(crate) struct StoreRequest {
    /// Comes back with the answer.
    pub(crate) id: RequestId,
    /// What is asked.
    pub(crate) call: StoreCall,
}

/// What can be asked of the store: the verbs of [`Journal`](crate::journal::Journal), and to pause a destination.
#[derive(Debug)]
pub(crate) enum StoreCall {
    Lease {
        want: usize,
    },
    Renew {
        leases: Vec<Lease>,
        report: WorkerReport,
    },
    Release {
        leases: Vec<Lease>,
        leaving: bool,
    },
    /// Wait for something new, this long at most, then advance the journal.
    Advance {
        wait: Duration,
    },
    Open {
        destination: Name,
        leases: Vec<Lease>,
    },
    Read(ReadRequest),
    ReadKey {
        destination: Name,
        partition: Partition,
        held: HeldKey,
        limit: usize,
    },
    Due {
        destination: Name,
        partitions: Vec<Partition>,
        limit: usize,
    },
    Commit(Vec<LaneCommit>),
    /// Have everyone hold the destination until a person resumes it.
    Pause {
        destination: Name,
        why: String,
    },
    Purge {
        older_than: Duration,
        limit: usize,
    },
}

/// The store's answer to the call of the same name.
#[derive(Debug)]
pub(crate) enum StoreAnswer {
    Leased(Grant),
    /// The partitions that are still held.
    Renewed(Vec<Partition>),
    Released,
    /// The newest position, or `None` when there is certainly nothing new.
    Advanced(Option<Position>),
    Opened(Vec<LaneState>),
    Read(Batch),
    KeyRead(Batch),
    Due(DueBatch),
    /// The partitions that were refused.
    Committed(Vec<Partition>),
    Paused,
    Purged(Purged),
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreFailure {
    /// The store said no, or the answer got lost. What was asked for is done or not; it will not be done later.
    Failed,
    /// Nobody waits any longer. What was asked for may still be done, at any time.
    TimedOut,
}

/// A destination that is to be served.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) destination: Destination,
    /// How many runs its sink wants in one hand-over.
    pub(crate) runs_at_once: usize,
}

/// Runs on their way to a sink, no two of one key.
#[derive(Debug)]
pub(crate) struct HandOver {
    /// Whose sink.
    pub(crate) destination: DestinationIndex,
    /// Comes back with the outcomes.
    pub(crate) id: HandOverId,
    /// Never empty.
    pub(super) runs: Vec<Run>,
    /// When the first of their leases ends, by the worker's clock and with a margin.
    pub(super) not_after: Duration,
    pub(super) mistakes: Mistakes,
}

impl HandOver {
    /// Gives the runs out, to be called right before the sink is: a process may freeze between any two lines. When a lease has
    /// ended by then, there are no runs, only what the engine is to be told.
    pub(crate) fn take(self, now: Duration) -> Result<Vec<Run>, Input> {
        let careless = self.mistakes.has(Mistake::HandedOverLate) || self.mistakes.has(Mistake::DeliverWithoutLease);
        if now < self.not_after || careless {
            return Ok(self.runs);
        }
        Err(Input::Withheld { destination: self.destination, id: self.id })
    }
}

/// What happened.
#[derive(Debug)]
pub(crate) enum Input {
    /// The store answered a request, or did not.
    Answered { id: RequestId, result: Result<StoreAnswer, StoreFailure> },
    /// A sink answered: what each run came to, in the order of the hand-over.
    Delivered { destination: DestinationIndex, id: HandOverId, outcomes: Vec<Outcome>, took: Duration },
    /// A lease ended before the hand-over, so the sink saw nothing of it.
    Withheld { destination: DestinationIndex, id: HandOverId },
    /// A sink said whether its destination is within reach.
    Probed { destination: DestinationIndex, result: Result<(), sink::Error> },
    /// Finish what is in flight and give everything back.
    Stop,
}

/// What an operator should hear about.
#[derive(Debug)]
pub(crate) enum Event {
    /// An attempt failed.
    Failed(Failed),
    /// A message was declared dead, because worker after worker died while delivering it.
    KilledWorkers { destination: Name, message: MessageId },
    /// A destination is out of reach.
    Outage { destination: Name, error: String },
    /// A destination is within reach again.
    Recovered { destination: Name },
    /// A destination wants no more messages.
    Gone { destination: Name, error: String },
    /// Partitions were taken over from workers that died.
    TookOver { partitions: Vec<Partition> },
    /// A partition is held no more, although nobody gave it back.
    LeaseLost { partition: Partition, why: LeaseEnd },
    /// What so many lanes delivered could not be recorded, because their leases were gone.
    CommitRefused { lanes: usize },
}

/// Why a lease is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaseEnd {
    /// It ran out by this worker's clock.
    Expired,
    /// The store says that it is another worker's, or given out anew.
    Taken,
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) destination: Name,
    pub(crate) message: Arc<Message>,
    pub(crate) attempts: u32,
    pub(crate) error: String,
    /// `None`: it is dead.
    pub(crate) retry_in: Option<Duration>,
}
