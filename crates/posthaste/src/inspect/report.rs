//! Everything about one message.

use jiff::Timestamp;
use serde::Serialize;

use super::Status;
use crate::journal::{Epoch, Partition, Position, WorkerReport};
use crate::message::{Message, MessageId};

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
    pub epoch: Epoch,
    pub expired: bool,
    /// What that worker last said about itself, unless it is gone.
    pub report: Option<WorkerReport>,
}
