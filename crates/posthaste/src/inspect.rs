//! The operator's side of a store: what is where, and why.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::destination::Name;
use crate::error::Result;
use crate::journal::{ParkedState, Partition, Position, WorkerReport};
use crate::message::{Message, MessageId};

/// What people call the status of a delivery; derived, never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The lane has not come to it yet, or is busy with it.
    Pending,
    /// Settled and not set aside.
    Delivered,
    /// Behind a held message of its key.
    Waiting,
    Retrying,
    Scheduled,
    Throttled,
    Dead,
    Replay,
    /// Someone let it go; its lane has not taken note yet.
    Discarding,
    /// Someone let it go.
    Discarded,
}

impl Status {
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Delivered,
        Self::Waiting,
        Self::Retrying,
        Self::Scheduled,
        Self::Throttled,
        Self::Dead,
        Self::Replay,
        Self::Discarding,
        Self::Discarded,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Waiting => "waiting",
            Self::Retrying => "retrying",
            Self::Scheduled => "scheduled",
            Self::Throttled => "throttled",
            Self::Dead => "dead",
            Self::Replay => "replay",
            Self::Discarding => "discarding",
            Self::Discarded => "discarded",
        }
    }

    /// Whether nothing more will happen unless someone asks, and the message may be purged.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Delivered | Self::Discarded)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl From<ParkedState> for Status {
    fn from(state: ParkedState) -> Self {
        match state {
            ParkedState::Retrying => Self::Retrying,
            ParkedState::Scheduled => Self::Scheduled,
            ParkedState::Throttled => Self::Throttled,
            ParkedState::Dead => Self::Dead,
            ParkedState::Replay => Self::Replay,
            ParkedState::Discarding => Self::Discarding,
            ParkedState::Discarded => Self::Discarded,
        }
    }
}

/// One (message, destination) as `list` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    pub position: Position,
    pub id: MessageId,
    pub event_type: String,
    pub aggregate_type: String,
    pub aggregate_id: String,
    pub key: Option<String>,
    pub tenant: Option<String>,
    pub occurred_at: Timestamp,
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    /// `None` when no destination takes the message.
    pub status: Option<Status>,
    pub attempts: u32,
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
}

/// Which deliveries are meant. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    pub ids: Vec<MessageId>,
    pub statuses: Vec<Status>,
    pub destination: Option<Name>,
    /// A pattern as in a route (`order.*`).
    pub event_type: Option<String>,
    pub key: Option<String>,
    pub aggregate_type: Option<String>,
    pub aggregate_id: Option<String>,
    pub tenant: Option<String>,
    /// By `occurred_at`, inclusive.
    pub since: Option<Timestamp>,
    /// By `occurred_at`, exclusive.
    pub before: Option<Timestamp>,
}

/// A part of a long list, in journal order. The deliveries of one message are never split, so a page may be a little longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Only what lies after this position.
    pub after: Position,
    pub limit: usize,
}

/// Everything about one message.
#[derive(Debug, Clone)]
pub struct Report {
    pub position: Position,
    pub partition: Partition,
    pub message: Message,
    /// One per destination that takes the message.
    pub deliveries: Vec<DeliveryReport>,
    /// Who holds its partition now.
    pub lease: Option<LeaseReport>,
}

/// One message at one destination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeliveryReport {
    pub destination: String,
    pub status: Status,
    pub attempts: u32,
    pub kills: u32,
    pub error: Option<String>,
    pub due_at: Option<Timestamp>,
    pub paused: bool,
    /// For a waiting one: the message at the head of its key, and how many are between.
    pub behind: Option<Behind>,
    /// For a pending one: how many messages of its partition come before it.
    pub ahead: Option<u64>,
    pub timeline: Vec<AttemptReport>,
}

/// What a waiting message waits for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Behind {
    /// `None` while the key is catching up without a failed message at its head.
    pub id: Option<MessageId>,
    pub status: Option<Status>,
    pub error: Option<String>,
    pub due_at: Option<Timestamp>,
}

/// One recorded attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptReport {
    pub number: u32,
    pub at: Timestamp,
    pub took_ms: u64,
    /// `None` is a success.
    pub error: Option<String>,
    pub worker: String,
}

/// Who holds a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeaseReport {
    pub partition: Partition,
    pub worker: String,
    pub epoch: u64,
    pub expired: bool,
    /// What that worker last said about itself, unless it is gone.
    pub report: Option<WorkerReport>,
}

/// One destination in the overview.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DestinationCounts {
    pub destination: String,
    pub paused: bool,
    pub pending: u64,
    pub waiting: u64,
    pub retrying: u64,
    pub scheduled: u64,
    pub throttled: u64,
    pub dead: u64,
    pub replay: u64,
    pub held_keys: u64,
    /// Age of the oldest pending message.
    pub oldest_pending_seconds: Option<f64>,
}

/// One worker in the overview.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkerStatus {
    pub worker: String,
    pub partitions: usize,
    pub alive: bool,
    pub report: Option<WorkerReport>,
}

/// The whole store at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Overview {
    pub partitions: u16,
    /// Messages kept, delivered ones included.
    pub messages: u64,
    pub newest: Position,
    pub destinations: Vec<DestinationCounts>,
    pub workers: Vec<WorkerStatus>,
    /// Partitions nobody holds.
    pub unheld_partitions: usize,
    /// What only this kind of store has to watch, such as the size of its log or its oldest open transaction.
    pub figures: Vec<Figure>,
}

/// A figure of one kind of store: a metric of that name, with its unit last (`wal_bytes`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    pub name: &'static str,
    pub value: f64,
}

/// What an operator asks to be done with deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Deliver again: dead ones from the start of their attempts and in order, retrying ones now, delivered ones once more.
    Replay,
    /// Let go: dead, retrying, scheduled, throttled and replayed ones are never delivered.
    Discard,
}

/// Whether an operation only counts or also acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    DryRun,
    Apply,
}

/// What an operation did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OperationReport {
    /// Deliveries it applies to.
    pub affected: u64,
    /// Deliveries matched by the filter whose status the operation does not apply to (pending, waiting, …).
    pub not_applicable: u64,
    /// Replay only: of these, newer messages of the same key were delivered already, so they arrive out of order.
    pub overtaken: u64,
}

/// A change that someone made, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The user of a command line, the name of a token, a worker.
    pub who: String,
    /// `replay`, `discard`, `pause`, `resume`, `purge`.
    pub action: String,
    /// To what: a destination, or a selection in words.
    pub target: String,
    /// Deliveries, messages or destinations that it changed.
    pub affected: u64,
}

/// A line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Grows with every entry.
    pub number: u64,
    /// By the store's clock.
    pub at: Timestamp,
    #[serde(flatten)]
    pub change: Change,
}

/// What a look at a store and its surroundings found: a setting that costs, a privilege that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// No relay should run before this is put right.
    pub refuses: bool,
    /// What is the matter, and what to do about it.
    pub says: String,
}

/// The store as an operator uses it.
#[async_trait]
pub trait Inspect: fmt::Debug + Send + Sync {
    async fn overview(&self) -> Result<Overview>;

    /// Deliveries in journal order. A message that no destination takes appears once, without one.
    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>>;

    /// Everything about one message, or `None`.
    async fn get(&self, id: MessageId) -> Result<Option<Report>>;

    /// Replays or discards what the filter selects, or counts it. In one transaction; the lanes' holders pick it up.
    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport>;

    /// Holds every delivery to a destination until [`Inspect::resume`]. Returns whether that changed anything; a destination
    /// that was never registered is not found.
    async fn pause(&self, destination: &Name) -> Result<bool>;

    async fn resume(&self, destination: &Name) -> Result<bool>;

    /// Counts what a purge of messages older than this would remove.
    async fn purgeable(&self, older_than: Duration) -> Result<u64>;

    /// Appends to the audit log. Nothing changes or removes an entry again.
    async fn record(&self, change: &Change) -> Result<()>;

    /// The audit log, newest first: up to `limit` entries with a number below `before`, or the latest.
    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>>;
}
