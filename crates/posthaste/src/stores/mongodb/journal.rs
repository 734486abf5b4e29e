//! The port of the engine; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    MongoDb, advance, commit, due, ingest, lease, lease_source, open, partitions, purge, read, read_key, register,
    release, release_source, renew,
};
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Epoch, Grant, HeldKey, Ingest, Ingested, Journal, LaneCommit, LaneState, Lease, Partition,
    Position, Purged, ReadRequest, SourceGrant, SourceReport, WorkerId, WorkerReport,
};

#[async_trait]
impl Journal for MongoDb {
    async fn partitions(&self) -> Result<u16> {
        self.in_time("partitions", partitions::partitions(self)).await
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.in_time("register", register::register(self, destinations)).await
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        self.in_time("lease", lease::lease(self, worker, ttl, want)).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        self.in_time("renew", renew::renew(self, worker, ttl, held, report)).await
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.in_time("release", release::release(self, worker, held, leaving)).await
    }

    async fn advance(&self) -> Result<Position> {
        self.in_time("advance", advance::advance(self)).await
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.in_time("open", open::open(self, destination, leases)).await
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        self.in_time("read", read::read(self, request)).await
    }

    async fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch> {
        self.in_time("read_key", read_key::read_key(self, destination, partition, held, limit)).await
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        self.in_time("due", due::due(self, destination, partitions, limit)).await
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.in_time("commit", commit::commit(self, commits)).await
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.in_time("purge", purge::purge(self, older_than, limit)).await
    }

    async fn lease_source(
        &self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> Result<SourceGrant> {
        self.in_time("lease_source", lease_source::lease_source(self, worker, source, ttl, held, report)).await
    }

    async fn ingest(&self, ingest: &Ingest) -> Result<Option<Ingested>> {
        self.in_time("ingest", ingest::ingest(self, ingest)).await
    }

    async fn release_source(&self, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
        self.in_time("release_source", release_source::release_source(self, worker, source, held)).await
    }
}
