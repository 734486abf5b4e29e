//! The port of the engine: what may be borrowed is copied for the blocking thread, the rest is in the files of each verb.

use std::time::Duration;

use async_trait::async_trait;

use super::{Sqlite, codec, commit, due, lease, migrate, open, read, register, wait, write};
use crate::destination::{Destination, Name};
use crate::error::Result;
use crate::journal::{
    Batch, DueBatch, Entry, Grant, HeldKey, Journal, LaneCommit, LaneState, Lease, Partition, Position, Purged,
    ReadRequest, WorkerId, WorkerReport,
};
use crate::message::Message;
use crate::store::{Store, Watch};

#[async_trait]
impl Journal for Sqlite {
    async fn partitions(&self) -> Result<u16> {
        self.reading(migrate::partitions).await
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        let destinations = destinations.to_vec();
        self.writing(move |transaction| register::register(transaction, &destinations)).await
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        let now = codec::now();
        let worker = worker.clone();
        let asking = worker.clone();
        let glance = self.reading(move |connection| lease::glance(connection, &asking, now)).await?;
        if glance.suffices(ttl, want, now) {
            return Ok(glance.grant(Vec::new()));
        }
        self.writing(move |transaction| lease::lease(transaction, &worker, ttl, want)).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        let (worker, held, report) = (worker.clone(), held.to_vec(), report.clone());
        self.writing(move |transaction| lease::renew(transaction, &worker, ttl, &held, &report)).await
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        let (worker, held) = (worker.clone(), held.to_vec());
        self.writing(move |transaction| lease::release(transaction, &worker, &held, leaving)).await
    }

    async fn advance(&self) -> Result<Position> {
        self.reading(read::newest).await
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        let (destination, leases) = (destination.clone(), leases.to_vec());
        self.reading(move |connection| open::open(connection, &destination, &leases)).await
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        let request = request.clone();
        self.reading(move |connection| read::read(connection, &request)).await
    }

    async fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        let (destination, held) = (destination.clone(), held.clone());
        self.reading(move |connection| read::read_key(connection, &destination, partition, &held, limit)).await
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        let (destination, partitions) = (destination.clone(), partitions.to_vec());
        self.reading(move |connection| due::due(connection, &destination, &partitions, limit)).await
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let commits = commits.to_vec();
        self.writing(move |transaction| commit::commit(transaction, &commits)).await
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.purge_up_to(older_than, limit).await
    }
}

#[async_trait]
impl Store for Sqlite {
    async fn migrate(&self) -> Result<()> {
        Self::migrate(self).await
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        write::write(self, messages).await
    }

    fn watch(&self) -> Box<dyn Watch> {
        Box::new(wait::Watcher::new(self.clone()))
    }
}
