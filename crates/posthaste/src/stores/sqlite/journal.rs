//! The engine's side of the store. Each verb is in the file of its name.

use std::time::Duration;

use async_trait::async_trait;

use super::{
    Sqlite, advance, commit, due, ingest, lease, lease_source, open, partitions, purge, read, read_key, register,
    release, release_source, renew,
};
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Epoch, Grant, HeldKey, Ingest, Ingested, Journal, LaneCommit, LaneState, Lease, Partition,
    Position, Purged, ReadRequest, SourceGrant, SourceReport, WorkerId, WorkerReport,
};

#[async_trait]
impl Journal for Sqlite {
    async fn partitions(&self) -> Result<u16> {
        partitions::partitions(self).await
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        register::register(self, destinations).await
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        lease::lease(self, worker, ttl, want).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        renew::renew(self, worker, ttl, held, report).await
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        release::release(self, worker, held, leaving).await
    }

    async fn advance(&self) -> Result<Position> {
        advance::advance(self).await
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        open::open(self, destination, leases).await
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        read::read(self, request).await
    }

    async fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch> {
        read_key::read_key(self, destination, partition, held, limit).await
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        due::due(self, destination, partitions, limit).await
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        commit::commit(self, commits).await
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        purge::purge(self, older_than, limit).await
    }

    async fn lease_source(
        &self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> Result<SourceGrant> {
        lease_source::lease_source(self, worker, source, ttl, held, report).await
    }

    async fn ingest(&self, ingest: &Ingest) -> Result<Option<Ingested>> {
        ingest::ingest(self, ingest).await
    }

    async fn release_source(&self, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
        release_source::release_source(self, worker, source, held).await
    }
}
