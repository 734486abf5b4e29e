//! The operator's side of a store: what is where, and why.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::destination::Name;
use crate::error::Result;
use crate::journal::WorkerId;
use crate::message::MessageId;

mod answer;
mod job;
mod listing;
mod operation;
mod overview;
mod report;
mod source;
mod status;
mod tenant;

pub use self::answer::{Answer, Refusal, Says, Settled};
pub use self::job::{Job, JobState, NewJob};
pub use self::listing::{Filling, Filter, Listed, Listing, Order, Page};
pub use self::operation::{AuditEntry, Change, Mode, Operation, OperationReport, Problem};
pub use self::overview::{DestinationCounts, Figure, Overview, WorkerStatus};
pub use self::report::{AttemptReport, Behind, DeliveryReport, LeaseReport, PartitionStatus, Report};
pub use self::source::{SourceChange, SourceStatus};
pub use self::status::Status;
pub use self::tenant::{TenantChange, TenantPause};

/// The store as an operator uses it.
#[async_trait]
pub trait Inspect: fmt::Debug + Send + Sync {
    /// Counts, workers and figures, in one snapshot.
    async fn overview(&self) -> Result<Overview>;

    /// Deliveries in journal order, or backwards. A message that no destination takes appears once, without one. The work is bounded
    /// by [`Filling::MOST`], so a page may be short, or empty, and still have a next one.
    async fn list(&self, filter: &Filter, page: Page) -> Result<Listing>;

    /// Everything about one message, or `None`.
    async fn get(&self, id: MessageId) -> Result<Option<Report>>;

    /// Replays or discards what the filter selects, or counts it. In one transaction; the lanes' holders pick it up.
    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport>;

    /// Writes down what the receiver of a message says about it, as [`rules::callback`](crate::rules::callback) says; the lane's holder
    /// picks it up. What is taken is on record, whatever crashes then.
    async fn settle(&self, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled>;

    /// Holds every delivery to a destination until [`Inspect::resume`]. Returns whether that changed anything; a destination
    /// that was never registered is not found.
    async fn pause(&self, destination: &Name) -> Result<bool>;

    /// Ends a pause. Returns whether that changed anything; a destination that was never registered is not found.
    async fn resume(&self, destination: &Name) -> Result<bool>;

    /// Pauses or resumes one tenant at a destination, as [`rules::tenant`](crate::rules::tenant) says: its messages wait there, and nobody
    /// else's do. What waited is due soon after a resume. Returns whether that changed anything; a destination that was never registered
    /// is not found.
    async fn change_tenant(&self, destination: &Name, change: &TenantChange) -> Result<bool>;

    /// Counts what a purge of messages older than this would remove.
    async fn purgeable(&self, older_than: Duration) -> Result<u64>;

    /// Who holds which partition, in order.
    async fn leases(&self) -> Result<Vec<PartitionStatus>>;

    /// Puts a job on record, for workers to carry out. It is about what is in the journal now, and not about what comes later.
    async fn create_job(&self, new: &NewJob) -> Result<Job>;

    /// Jobs, newest first: up to `limit` with a number below `before`, or the latest.
    async fn jobs(&self, before: Option<u64>, limit: usize) -> Result<Vec<Job>>;

    /// Carries out the next piece of a job: of this one, or of the oldest that nobody is at. In one transaction with its progress, and
    /// with the audit entry of a job that ends. The worker has it to itself until `ttl` has passed without a piece. Returns the job
    /// afterwards; `None` if there is nothing to do.
    async fn work(&self, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>>;

    /// Stops a job, with an audit entry of that and of what was done until then. Returns the job; `None` if there is none of this number.
    async fn stop_job(&self, number: u64, who: &str) -> Result<Option<Job>>;

    /// Appends to the audit log. Nothing changes or removes an entry again.
    async fn record(&self, change: &Change) -> Result<()>;

    /// The audit log, newest first: up to `limit` entries with a number below `before`, or the latest.
    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>>;

    /// Every source that was ever read into this journal, by name.
    async fn sources(&self) -> Result<Vec<SourceStatus>>;

    /// Pauses, resumes or rewinds a source, as [`rules::source`](crate::rules::source) says. Returns whether that changed anything; one that
    /// was never read is not found.
    async fn change_source(&self, source: &Name, change: &SourceChange) -> Result<bool>;
}
