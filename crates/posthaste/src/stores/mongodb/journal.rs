//! The port of the engine; the work is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::{MongoDb, wait};
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::inspect::Problem;
use crate::journal::{
    Batch, DueBatch, Entry, Grant, HeldKey, Journal, LaneCommit, LaneState, Lease, Partition, Position, Purged,
    ReadRequest, WorkerId, WorkerReport,
};
use crate::message::Message;
use crate::store::{Store, Watch};

#[async_trait]
impl Journal for MongoDb {
    async fn partitions(&self) -> Result<u16> {
        self.count_partitions().await
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.register_all(destinations).await
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        self.take_leases(worker, ttl, want).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        self.renew_leases(worker, ttl, held, report).await
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.release_leases(worker, held, leaving).await
    }

    async fn advance(&self) -> Result<Position> {
        let newest = self.sequence().await?;
        self.stamp_if_due().await;
        Ok(newest)
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.open_lanes(destination, leases).await
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        self.read_on(request).await
    }

    async fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        self.read_held(destination, partition, held, limit).await
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        self.due_now(destination, partitions, limit).await
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.commit_lanes(commits).await
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.purge_up_to(older_than, limit).await
    }
}

#[async_trait]
impl Store for MongoDb {
    async fn migrate(&self) -> Result<()> {
        Self::migrate(self).await
    }

    async fn check(&self) -> Result<Vec<Problem>> {
        Self::check(self).await
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        Self::write(self, messages).await
    }

    fn watch(&self) -> Box<dyn Watch> {
        Box::new(wait::Watcher::new(self.clone()))
    }
}
