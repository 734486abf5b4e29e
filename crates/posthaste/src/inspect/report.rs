//! Everything about one message.

use jiff::Timestamp;
use serde::Serialize;

use super::{Status, TenantPause};
use crate::destination::Name;
use crate::journal::{Epoch, Partition, Position, WorkerReport};
use crate::message::{Message, MessageId};

/// Everything about one message.
#[derive(Debug, Clone)]
pub struct Report {
    /// Where the message is.
    pub position: Position,
    /// The partition of its key.
    pub partition: Partition,
    /// The message as it was written.
    pub message: Message,
    /// One per destination that takes the message.
    pub deliveries: Vec<DeliveryReport>,
    /// Who holds its partition now.
    pub lease: Option<LeaseReport>,
}

impl Report {
    /// What became of the message at a destination; `None` if that does not take it.
    pub fn status_at(&self, destination: &Name) -> Option<Status> {
        self.deliveries.iter().find(|one| one.destination == destination.as_str()).map(|one| one.status)
    }
}

/// One message at one destination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeliveryReport {
    /// Which destination.
    pub destination: String,
    /// What became of it.
    pub status: Status,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Workers in a row that died while this was alone in flight.
    pub deaths: u32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
    /// Whether an operator has paused the destination.
    pub paused: bool,
    /// Set while an operator has paused the tenant of the message there.
    pub paused_tenant: Option<TenantPause>,
    /// For a waiting one: the message at the head of its key, and how many are between.
    pub behind: Option<Behind>,
    /// For a pending one: how many messages of its partition come before it.
    pub ahead: Option<u64>,
    /// Failed attempts, and the success that followed them or that the receiver replied to; by time.
    pub timeline: Vec<AttemptReport>,
}

/// What a waiting message waits for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Behind {
    /// `None` while the key is catching up without a failed message at its head.
    pub id: Option<MessageId>,
    /// What became of the message at the head.
    pub status: Option<Status>,
    /// Why its last attempt failed.
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
}

/// One recorded attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptReport {
    /// Counts from one, and again from one after a replay.
    pub number: u32,
    /// When it ended, by the store's clock.
    pub at: Timestamp,
    /// How long the sink took to answer, in milliseconds.
    pub took_ms: u64,
    /// `None` is a success.
    pub error: Option<String>,
    /// Of a success: what the receiver said, where the sink can tell.
    pub reply: Option<String>,
    /// Which worker tried.
    pub worker: String,
}

/// Who holds a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeaseReport {
    /// Which partition.
    pub partition: Partition,
    /// Who holds it, or let it expire.
    pub worker: String,
    /// The epoch of the lease.
    pub epoch: Epoch,
    /// Whether the lease has ended without being given back.
    pub expired: bool,
    /// What that worker last said about itself, unless it is gone.
    pub report: Option<WorkerReport>,
}

/// Who holds a partition now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartitionStatus {
    /// Which partition.
    pub partition: Partition,
    /// Who holds it, or held it last.
    pub worker: Option<String>,
    /// How often it was given out.
    pub epoch: Epoch,
    /// How long the lease lasts; `None` if nobody holds it.
    pub expires_in_seconds: Option<f64>,
}
