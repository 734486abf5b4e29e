//! What the engine says and hears.

use std::sync::Arc;
use std::time::Duration;

use crate::destination::Name;
use crate::engine::destination::RunId;
use crate::engine::lane::LineId;
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Entry, Epoch, Grant, HeldKey, LaneCommit, LaneState, Lease, Partition, Position, Purged,
    ReadRequest, WorkerReport,
};
use crate::message::{Message, MessageId};
use crate::sink::{self, Outcome, Run};

/// What to do. Each is answered by the [`Input`] of the same name.
#[derive(Debug)]
pub enum Action {
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
    Look {
        wait: Duration,
    },
    Open {
        walk: usize,
        leases: Vec<Lease>,
    },
    Read {
        walk: usize,
        lanes: Vec<(Partition, Epoch)>,
        request: ReadRequest,
    },
    ReadKey {
        walk: usize,
        lane: Lease,
        line: LineId,
        held: HeldKey,
        limit: usize,
        asked_at: u64,
    },
    Due {
        walk: usize,
        lanes: Vec<(Partition, Epoch)>,
        limit: usize,
        asked_at: u64,
    },
    /// Hand this over, but not if it is later than `not_after`: a process may freeze between two lines.
    Deliver {
        walk: usize,
        id: RunId,
        run: Run,
        not_after: Duration,
    },
    /// Nobody waits for these any more. Has no answer.
    Cancel {
        ids: Vec<RunId>,
    },
    Commit {
        walk: usize,
        commits: Vec<LaneCommit>,
    },
    Probe {
        walk: usize,
    },
    /// Have everyone hold the destination until a person resumes it.
    Pause {
        walk: usize,
        why: String,
    },
    Purge {
        older_than: Duration,
        limit: usize,
    },
}

/// What happened.
#[derive(Debug)]
pub enum Input {
    Leased {
        asked_at: Duration,
        result: Result<Grant>,
    },
    Renewed {
        asked_at: Duration,
        leases: Vec<Lease>,
        result: Result<Vec<Partition>>,
    },
    Released {
        leases: Vec<Lease>,
        leaving: bool,
        result: Result<()>,
    },
    /// The newest position, or `None` when there is certainly nothing new.
    Looked {
        result: Result<Option<Position>>,
    },
    Opened {
        walk: usize,
        leases: Vec<Lease>,
        result: Result<Vec<LaneState>>,
    },
    Read {
        walk: usize,
        lanes: Vec<(Partition, Epoch)>,
        result: Result<Batch>,
    },
    KeyRead {
        walk: usize,
        lane: Lease,
        line: LineId,
        held: HeldKey,
        asked_at: u64,
        result: Result<Vec<Entry>>,
    },
    Due {
        walk: usize,
        lanes: Vec<(Partition, Epoch)>,
        limit: usize,
        asked_at: u64,
        result: Result<DueBatch>,
    },
    Delivered {
        walk: usize,
        id: RunId,
        outcome: Outcome,
        took: Duration,
    },
    /// The lease ended before the hand-over, so the sink saw nothing of it.
    Withheld {
        walk: usize,
        id: RunId,
    },
    Committed {
        walk: usize,
        result: Result<Vec<Partition>>,
    },
    Probed {
        walk: usize,
        result: Result<(), sink::Error>,
    },
    Paused {
        result: Result<()>,
    },
    Purged {
        result: Result<Purged>,
    },
    /// Finish what is in flight and give everything back.
    Stop,
}

/// What an operator should hear about.
#[derive(Debug)]
pub enum Event {
    Failed(Failed),
    Killer { destination: Name, message: MessageId },
    Outage { destination: Name, error: String },
    Recovered { destination: Name },
    Gone { destination: Name, error: String },
    TookOver { partitions: Vec<Partition> },
    LeaseLost { partition: Partition },
}

/// A failed attempt.
#[derive(Debug)]
pub struct Failed {
    pub destination: Name,
    pub message: Arc<Message>,
    pub attempts: u32,
    pub error: String,
    /// `None`: it is dead.
    pub retry_in: Option<Duration>,
}
