use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use posthaste::destination::{Destination, Name};
use posthaste::domain::Changes;
use posthaste::journal::*;
use posthaste::relay::Settings;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::stores::memory::Memory;
use posthaste::testkit::waiting::until;
use posthaste::{Relay, Result};

use super::customer::{Customer, CustomerCreated};

/// A store that notices nothing by itself.
#[derive(Debug)]
struct Deaf(Memory);

#[async_trait]
impl Journal for Deaf {
    async fn partitions(&self) -> Result<u16> {
        self.0.partitions().await
    }
    async fn register(&self, destinations: &[Destination]) -> Result<()> {
        self.0.register(destinations).await
    }
    async fn lease(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        self.0.lease(worker, ttl, want).await
    }
    async fn renew(&self, w: &WorkerId, ttl: Duration, held: &[Lease], r: &WorkerReport) -> Result<Vec<Partition>> {
        self.0.renew(w, ttl, held, r).await
    }
    async fn release(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        self.0.release(worker, held, leaving).await
    }
    async fn advance(&self) -> Result<Position> {
        self.0.advance().await
    }
    async fn open(&self, destination: &Name, leases: &[Lease]) -> Result<Vec<LaneState>> {
        self.0.open(destination, leases).await
    }
    async fn read(&self, request: &ReadRequest) -> Result<Batch> {
        self.0.read(request).await
    }
    async fn read_key(&self, name: &Name, p: Partition, held: &HeldKey, limit: usize) -> Result<Vec<Entry>> {
        self.0.read_key(name, p, held, limit).await
    }
    async fn due(&self, destination: &Name, partitions: &[Partition], limit: usize) -> Result<DueBatch> {
        self.0.due(destination, partitions, limit).await
    }
    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        self.0.commit(commits).await
    }
    async fn wait(&self, _: Duration) -> Result<Hint> {
        std::future::pending().await
    }
    async fn purge(&self, older_than: Duration, limit: usize) -> Result<Purged> {
        self.0.purge(older_than, limit).await
    }
}

#[tokio::test]
async fn a_commit_wakes_the_relay_of_the_same_process() {
    let memory = Memory::new();
    let welcomed = Arc::new(AtomicUsize::new(0));
    let count = welcomed.clone();
    let welcome = move |_: Context, _: CustomerCreated| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    };
    let handlers = Handlers::builder().on_event("welcome", welcome).build().unwrap();
    // Unless it is woken, this relay looks once an hour.
    let settings = Settings {
        poll_interval: Duration::from_secs(3600),
        lease_ttl: Duration::from_secs(3600),
        ..Settings::default()
    };
    let relay = Relay::builder(Arc::new(Deaf(memory.clone())))
        .settings(settings)
        .destination(Destination::new("app"), Arc::new(handlers))
        .build();
    let waker = relay.waker();
    let written = async {
        for id in 1..=3 {
            let customer = Customer::create(id, "a@example.org");
            let mut changes = Changes::default();
            changes.add(&customer);
            changes.wake(waker.clone());
            let mut tx = memory.begin();
            tx.enqueue(&changes.messages().unwrap());
            tx.commit();
            changes.committed();
            until("the customer is welcomed", || welcomed.load(Ordering::SeqCst) == id as usize).await;
        }
    };
    relay.run(written).await.unwrap();
}
