//! The whole store at a glance.

use std::time::Duration;

use serde::Serialize;

use super::{SourceStatus, Status, TenantPause};
use crate::journal::{Position, WorkerReport};

/// One destination in the overview.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DestinationCounts {
    /// Its name.
    pub destination: String,
    /// Whether an operator has paused it.
    pub paused: bool,
    /// Tenants that an operator has paused here, by name.
    pub paused_tenants: Vec<TenantPause>,
    /// Deliveries that its lanes have not come to yet; the numbers below are of deliveries too, by status.
    pub pending: u64,
    /// See [`Status::Waiting`].
    pub waiting: u64,
    /// See [`Status::Retrying`].
    pub retrying: u64,
    /// See [`Status::Scheduled`].
    pub scheduled: u64,
    /// See [`Status::Throttled`].
    pub throttled: u64,
    /// See [`Status::Paused`].
    pub paused_deliveries: u64,
    /// See [`Status::Awaiting`].
    pub awaiting: u64,
    /// See [`Status::Dead`].
    pub dead: u64,
    /// See [`Status::Replay`].
    pub replay: u64,
    /// Keys whose later messages wait behind a parked one.
    pub held_keys: u64,
    /// Age of the oldest pending message.
    pub oldest_pending_seconds: Option<f64>,
    /// Whether `pending` and `waiting` are only about right: a store with very many of them reads some.
    pub estimated: bool,
}

impl DestinationCounts {
    /// Counts one more delivery of this status. `age` is that of its message, by the store's clock.
    pub fn count(&mut self, status: Status, age: Duration) {
        match status {
            Status::Pending => {
                self.pending += 1;
                let oldest = self.oldest_pending_seconds.unwrap_or_default();
                self.oldest_pending_seconds = Some(age.as_secs_f64().max(oldest));
            }
            Status::Waiting => self.waiting += 1,
            Status::Retrying => self.retrying += 1,
            Status::Scheduled => self.scheduled += 1,
            Status::Throttled => self.throttled += 1,
            Status::Paused => self.paused_deliveries += 1,
            Status::Awaiting => self.awaiting += 1,
            Status::Dead => self.dead += 1,
            Status::Replay => self.replay += 1,
            Status::Delivered | Status::Discarding | Status::Discarded => {}
        }
    }

    /// How many deliveries have this status; zero for those that are not counted.
    pub fn of(&self, status: Status) -> u64 {
        match status {
            Status::Pending => self.pending,
            Status::Waiting => self.waiting,
            Status::Retrying => self.retrying,
            Status::Scheduled => self.scheduled,
            Status::Throttled => self.throttled,
            Status::Paused => self.paused_deliveries,
            Status::Awaiting => self.awaiting,
            Status::Dead => self.dead,
            Status::Replay => self.replay,
            Status::Delivered | Status::Discarding | Status::Discarded => 0,
        }
    }
}

/// One worker in the overview.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkerStatus {
    /// Its name.
    pub worker: String,
    /// Partitions that it holds.
    pub partitions: usize,
    /// Whether it has announced itself lately.
    pub alive: bool,
    /// What it last said about itself.
    pub report: Option<WorkerReport>,
}

/// The whole store at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Overview {
    /// Partitions of the journal.
    pub partitions: u16,
    /// Messages kept, delivered ones included. A store that would take long to count them may say about how many.
    pub messages: u64,
    /// The newest position that can be read.
    pub newest: Position,
    /// The destinations that the latest registration named.
    pub destinations: Vec<DestinationCounts>,
    /// Workers that are alive, or ended lately without a word.
    pub workers: Vec<WorkerStatus>,
    /// Partitions nobody holds.
    pub unheld_partitions: usize,
    /// The sources that are read into this journal, by name.
    pub sources: Vec<SourceStatus>,
    /// What only this kind of store has to watch, such as the size of its log or its oldest open transaction.
    pub figures: Vec<Figure>,
}

/// A figure of one kind of store: a metric of that name, with its unit last (`wal_bytes`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// What it is called.
    pub name: &'static str,
    /// How much there is of it.
    pub value: f64,
}
