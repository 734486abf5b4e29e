//! A journal whose calls a test can meddle with.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::Result;
use posthaste::destination::{Destination, Name};
use posthaste::journal::{
    Batch, DueBatch, Entry, Grant, HeldKey, Hint, Journal, LaneCommit, LaneState, Lease, Partition, Position, Purged,
    ReadRequest, WorkerId, WorkerReport,
};

/// What a test does to the calls.
pub(super) trait Meddle: fmt::Debug + Send + Sync {
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

    /// Whether `wait` notices anything.
    fn hints(&self) -> bool {
        true
    }

    /// Sees every message that is read.
    fn read(&self, _entry: &mut Entry) {}
}

#[derive(Debug)]
pub(super) struct Meddled {
    pub(super) inner: Arc<dyn Journal>,
    pub(super) meddle: Arc<dyn Meddle>,
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

    async fn read_key(
        &self,
        destination: &Name,
        partition: Partition,
        held: &HeldKey,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        let mut entries = self.around("read_key", self.inner.read_key(destination, partition, held, limit)).await?;
        entries.iter_mut().for_each(|entry| self.meddle.read(entry));
        Ok(entries)
    }

    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        let mut batch = self.around("due", self.inner.due(destination, partitions, limit)).await?;
        batch.deliveries.iter_mut().for_each(|due| self.meddle.read(&mut due.entry));
        Ok(batch)
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.around("commit", self.inner.commit(commits)).await
    }

    async fn wait(&self, timeout: Duration) -> Result<Hint> {
        if self.meddle.hints() {
            return self.around("wait", self.inner.wait(timeout)).await;
        }
        tokio::time::sleep(timeout).await;
        Ok(Hint::Maybe)
    }

    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.around("purge", self.inner.purge(older_than, limit)).await
    }
}
