//! The engine's side of a store.
//!
//! Only durations cross this port, never instants: the store's clock rules. A store has no capability flags; it passes the
//! whole store suite (`conformance::store_suite`) or does not ship. `stores::memory` is the executable specification.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::destination::{Destination, Name};
use crate::error::Result;

mod entry;
mod lane;
mod lease;
mod parking;
mod position;
mod source;

pub use self::entry::{Batch, Enqueued, Entry, Hint, Purged, ReadRequest};
pub use self::lane::{Cursor, LaneCommit, LaneState};
pub use self::lease::{DestinationReport, Grant, Lease, WorkerId, WorkerReport};
pub use self::parking::{Attempt, Due, DueBatch, HeldKey, Park, ParkedState};
pub use self::position::{Epoch, PARTITIONS, Partition, Position, partition_of};
pub use self::source::{Ingest, Ingested, Marked, SourceGrant, SourceLease, SourceReport, SourceState, Tally};

/// The journal as the engine uses it.
#[async_trait]
pub trait Journal: fmt::Debug + Send + Sync {
    /// The number of partitions, fixed at migration. Also the check that there is a journal of the right version.
    async fn partitions(&self) -> Result<u16>;

    /// Makes the destinations known: their cursors exist afterwards, the status view knows their routes, and whatever is no
    /// longer named holds up no purge. A destination seen for the first time starts where its `start_from` says.
    async fn register(&self, destinations: &[Destination]) -> Result<()>;

    /// Announces the worker as alive for `ttl` and acquires up to `want` free or expired partitions for as long. Two workers
    /// never get the same one; each acquisition has a higher epoch than all before. `want` may be zero.
    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant>;

    /// Extends leases by `ttl` from now and returns those that are still held with their epoch. Never brings one back that
    /// another worker has taken. Keeps the report for others to read.
    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>>;

    /// Gives leases back at once; those that are no longer held are left alone. With `leaving`, the worker is gone.
    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()>;

    /// Gives what was committed its place and returns the newest position that can be read.
    async fn advance(&self) -> Result<Position>;

    /// Where the lanes of a destination stand. Only for partitions whose lease is held.
    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>>;

    /// Reads on. What was once beyond `upto` of an answer never appears before it.
    async fn read(&self, request: &ReadRequest) -> Result<Batch>;

    /// Reads what waits behind a held key: its messages in `(after, until]` that are not parked on their own, in order. The answer may
    /// be a part of that, also with fewer entries than `limit`, which is at least one; its `upto` says how far it reaches, and is beyond
    /// `after`. Only believed while the lease is held: a later holder may have parked the next one.
    async fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch>;

    /// Parked deliveries whose time has come, except those whose key is held by another one.
    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch>;

    /// Records what lanes did: all of a lane's changes or none, and none unless (partition, epoch) still holds. Returns the
    /// partitions that were refused. A parked delivery that someone discarded stays discarded.
    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>>;

    /// Removes up to `limit` messages older than `older_than` that every destination has settled and nothing refers to. None
    /// before destinations are known.
    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged>;

    /// Makes a source known, and acquires it if it is free or its lease has expired, or extends the lease that the worker holds under
    /// `held`; each time for `ttl` from now. Two workers never hold the same one; each acquisition has a higher epoch than all before. One
    /// that is paused goes to nobody. Keeps the report of its holder for others to read.
    async fn lease_source(
        &self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> Result<SourceGrant>;

    /// Stores what was made of a source's events together with its checkpoint: all of it or none, and none unless (worker, epoch) still
    /// holds the source, which is answered by `None`. A message that was stored before is left out quietly. Where the log is in the same
    /// database, its events are marked in the same transaction; that the marks are refused keeps nothing from being stored.
    async fn ingest(&self, ingest: &Ingest) -> Result<Option<Ingested>>;

    /// Gives a source back at once, unless it is no longer held.
    async fn release_source(&self, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()>;
}
