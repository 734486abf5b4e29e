//! The engine's side of the store. Each verb is in the file of its name.

use std::time::Duration;

use async_trait::async_trait;

use super::Memory;
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Epoch, Grant, HeldKey, Ingest, Ingested, Journal, LaneCommit, LaneState, Lease, Partition,
    Position, Purged, ReadRequest, SourceGrant, SourceReport, WorkerId, WorkerReport,
};

#[async_trait]
impl Journal for Memory {
    async fn partitions(&self) -> Result<u16> {
        Ok(self.core().partitions())
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.core().register(destinations);
        Ok(())
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        Ok(self.core().lease(worker, ttl, want))
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        Ok(self.core().renew(worker, ttl, held, report))
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.core().release(worker, held, leaving);
        Ok(())
    }

    async fn advance(&self) -> Result<Position> {
        Ok(self.core().advance())
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.core().open(destination, leases)
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        Ok(self.core().read(request))
    }

    async fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch> {
        self.core().read_key(destination, partition, held, limit)
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        self.core().due(destination, partitions, limit)
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        let refused = self.core().commit(commits)?;
        if commits.iter().any(|commit| !commit.letters.is_empty()) {
            self.announce();
        }
        Ok(refused)
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        Ok(self.core().purge(older_than, limit))
    }

    async fn lease_source(
        &self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> Result<SourceGrant> {
        Ok(self.core().lease_source(worker, source, ttl, held, report))
    }

    async fn ingest(&self, ingest: &Ingest) -> Result<Option<Ingested>> {
        let ingested = self.core().ingest(ingest);
        self.announce();
        Ok(ingested)
    }

    async fn release_source(&self, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
        self.core().release_source(worker, source, held);
        Ok(())
    }
}
