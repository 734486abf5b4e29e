//! A store whose calls a test can meddle with.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::destination::{Destination, Name};
use posthaste::inspect::{
    Answer, AuditEntry, Change, Filter, Inspect, Job, Listing, Mode, NewJob, Operation, OperationReport, Overview,
    Page, PartitionStatus, Report, Settled, SourceChange, SourceStatus, TenantChange,
};
use posthaste::journal::{
    Batch, DueBatch, Entry, Epoch, Grant, HeldKey, Hint, Ingest, Ingested, Journal, LaneCommit, LaneState, Lease,
    Partition, Position, Purged, ReadRequest, SourceGrant, SourceReport, WorkerId, WorkerReport,
};
use posthaste::message::MessageId;
use posthaste::store::{Store, Watch};
use posthaste::{Message, Result};

/// What a test does to the calls.
pub(crate) trait Meddle: fmt::Debug + Send + Sync {
    /// An error is the answer, and the call is not made.
    fn before(&self, _call: &str) -> Result<()> {
        Ok(())
    }

    /// An error is the answer, although the call was made.
    fn after(&self, _call: &str) -> Result<()> {
        Ok(())
    }

    /// The call is over, answered or given up.
    fn over(&self, _call: &str) {}

    /// Whether this call is never answered.
    fn swallows(&self, _call: &str) -> bool {
        false
    }

    /// Whether a watcher notices anything.
    fn hints(&self) -> bool {
        true
    }

    /// Sees every message that is read.
    fn read(&self, _entry: &mut Entry) {}
}

#[derive(Debug)]
pub(crate) struct Meddled {
    pub(crate) inner: Arc<dyn Store>,
    pub(crate) meddle: Arc<dyn Meddle>,
}

impl Meddled {
    async fn around<T>(&self, call: &str, made: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let _call = Call { meddle: &*self.meddle, name: call };
        self.meddle.before(call)?;
        if self.meddle.swallows(call) {
            return std::future::pending().await;
        }
        let answer = made.await;
        self.meddle.after(call)?;
        answer
    }
}

struct Call<'a> {
    meddle: &'a dyn Meddle,
    name: &'a str,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.meddle.over(self.name);
    }
}

#[async_trait]
impl Journal for Meddled {
    async fn partitions(&self) -> Result<u16> {
        self.around("partitions", self.inner.partitions()).await
    }

    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.around("register", self.inner.register(destinations)).await
    }

    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        self.around("lease", self.inner.lease(worker, ttl, want)).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        self.around("renew", self.inner.renew(worker, ttl, held, report)).await
    }

    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.around("release", self.inner.release(worker, held, leaving)).await
    }

    async fn advance(&self) -> Result<Position> {
        self.around("advance", self.inner.advance()).await
    }

    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.around("open", self.inner.open(destination, leases)).await
    }

    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        let mut batch = self.around("read", self.inner.read(request)).await?;
        batch.entries.iter_mut().for_each(|entry| self.meddle.read(entry));
        Ok(batch)
    }

    async fn read_key(&self, destination: &Name, partition: Partition, held: &HeldKey, limit: usize) -> Result<Batch> {
        let mut batch = self.around("read_key", self.inner.read_key(destination, partition, held, limit)).await?;
        batch.entries.iter_mut().for_each(|entry| self.meddle.read(entry));
        Ok(batch)
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        let mut batch = self.around("due", self.inner.due(destination, partitions, limit)).await?;
        batch.deliveries.iter_mut().for_each(|due| self.meddle.read(&mut due.entry));
        Ok(batch)
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.around("commit", self.inner.commit(commits)).await
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.around("purge", self.inner.purge(older_than, limit)).await
    }

    async fn lease_source(
        &self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> Result<SourceGrant> {
        self.around("lease_source", self.inner.lease_source(worker, source, ttl, held, report)).await
    }

    async fn ingest(&self, ingest: &Ingest) -> Result<Option<Ingested>> {
        self.around("ingest", self.inner.ingest(ingest)).await
    }

    async fn release_source(&self, worker: &WorkerId, source: &Name, held: Epoch) -> Result<()> {
        self.around("release_source", self.inner.release_source(worker, source, held)).await
    }
}

/// People's questions are not meddled with.
#[async_trait]
impl Inspect for Meddled {
    async fn overview(&self) -> Result<Overview> {
        self.inner.overview().await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listing> {
        self.inner.list(filter, page).await
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        self.inner.get(id).await
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        self.inner.operate(operation, filter, mode).await
    }

    async fn settle(&self, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
        self.inner.settle(id, destination, answer).await
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        self.inner.pause(destination).await
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        self.inner.resume(destination).await
    }

    async fn change_tenant(&self, destination: &Name, change: &TenantChange) -> Result<bool> {
        self.inner.change_tenant(destination, change).await
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        self.inner.purgeable(older_than).await
    }

    async fn leases(&self) -> Result<Vec<PartitionStatus>> {
        self.inner.leases().await
    }

    async fn create_job(&self, new: &NewJob) -> Result<Job> {
        self.inner.create_job(new).await
    }

    async fn jobs(&self, before: Option<u64>, limit: usize) -> Result<Vec<Job>> {
        self.inner.jobs(before, limit).await
    }

    async fn work(&self, worker: &WorkerId, ttl: Duration, only: Option<u64>) -> Result<Option<Job>> {
        self.inner.work(worker, ttl, only).await
    }

    async fn stop_job(&self, number: u64, who: &str) -> Result<Option<Job>> {
        self.inner.stop_job(number, who).await
    }

    async fn record(&self, change: &Change) -> Result<()> {
        self.inner.record(change).await
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        self.inner.audit(before, limit).await
    }

    async fn sources(&self) -> Result<Vec<SourceStatus>> {
        self.inner.sources().await
    }

    async fn change_source(&self, source: &Name, change: &SourceChange) -> Result<bool> {
        self.inner.change_source(source, change).await
    }
}

#[async_trait]
impl Store for Meddled {
    async fn migrate(&self) -> Result<()> {
        self.inner.migrate().await
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        self.inner.write(messages).await
    }

    fn watch(&self) -> Box<dyn Watch> {
        let store = Self { inner: self.inner.clone(), meddle: self.meddle.clone() };
        Box::new(MeddledWatch { watch: self.inner.watch(), store })
    }
}

#[derive(Debug)]
struct MeddledWatch {
    store: Meddled,
    watch: Box<dyn Watch>,
}

#[async_trait]
impl Watch for MeddledWatch {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        if self.store.meddle.hints() {
            return self.store.around("wait", self.watch.wait(timeout)).await;
        }
        tokio::time::sleep(timeout).await;
        Ok(Hint::Maybe)
    }

    fn saw(&mut self, newest: Position) {
        self.watch.saw(newest);
    }
}
