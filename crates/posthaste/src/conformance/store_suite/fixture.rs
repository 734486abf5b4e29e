//! A store under test, with what many guarantees need to get going.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::StoreUnderTest;
use super::making::ids;
use crate::destination::{Destination, Name, Route};
use crate::error::Result;
use crate::inspect::{Filter, Inspect, Listed, Page, Status};
use crate::journal::{
    Batch, DueBatch, Enqueued, Entry, Journal, LaneCommit, LaneState, Lease, Partition, Position, ReadRequest,
    WorkerId, WorkerReport,
};
use crate::message::{Message, MessageId};
use crate::store::Store;
pub(super) use crate::testkit::waiting::eventually;

/// A lease that outlives any test.
pub(super) const LONG: Duration = Duration::from_secs(600);

/// A lease that ends while a test waits for it.
pub(super) const SHORT: Duration = Duration::from_millis(80);

/// One store, from both of its sides.
pub struct Fixture {
    /// Makes transactions and opens the store again.
    pub subject: Arc<dyn StoreUnderTest>,
    /// The store as a whole.
    pub store: Arc<dyn Store>,
    /// The engine's side of it.
    pub journal: Arc<dyn Journal>,
    /// The operator's side of it.
    pub inspect: Arc<dyn Inspect>,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture").field("journal", &self.journal).finish_non_exhaustive()
    }
}

impl Fixture {
    /// A fixture around a fresh store.
    pub fn new(subject: impl StoreUnderTest) -> Self {
        let store = subject.store();
        Self { journal: store.clone(), inspect: store.clone(), store, subject: Arc::new(subject) }
    }

    /// Registers destinations that take everything.
    pub(super) async fn serve(&self, names: &[&str]) -> Result<()> {
        let destinations: Vec<_> = names.iter().map(|&name| Destination::new(name)).collect();
        self.journal.register(&destinations).await
    }

    /// Registers destinations, each taking the event types that match its pattern.
    pub(super) async fn serve_routed(&self, routes: &[(&str, &str)]) -> Result<()> {
        let routed = |&(name, pattern): &(&str, &str)| Destination::new(name).route(Route::matching([pattern]));
        self.journal.register(&routes.iter().map(routed).collect::<Vec<_>>()).await
    }

    pub(super) async fn write(&self, messages: Vec<Message>) -> Result<Enqueued> {
        self.subject.write(messages).await
    }

    /// Writes a message while a transaction is open, and waits until it can be read. A store with one writer at a time makes this
    /// one wait for the end of the other, so that nothing commits late there, which is as good: the caller waits for the writer.
    pub(super) async fn write_beside(&self, message: Message) -> Result<JoinSet<Result<Enqueued>>> {
        let (subject, id) = (self.subject.clone(), message.id);
        let mut writer = JoinSet::new();
        writer.spawn(async move { subject.write(vec![message]).await });
        let patience = Instant::now();
        while !ids(&self.read_all().await?).contains(&id) && patience.elapsed() < Duration::from_millis(150) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(writer)
    }

    /// Writes messages and returns them at their places.
    pub(super) async fn written(&self, messages: Vec<Message>) -> Result<Vec<Entry>> {
        let before = self.journal.advance().await?;
        let count = messages.len();
        self.write(messages).await?;
        let entries = self.read_after(before).await?.entries;
        assert_eq!(entries.len(), count, "everything written can be read");
        Ok(entries)
    }

    pub(super) async fn written_one(&self, message: Message) -> Result<Entry> {
        Ok(self.written(vec![message]).await?.remove(0))
    }

    pub(super) async fn all_partitions(&self) -> Result<Vec<Partition>> {
        Ok(Partition::all(self.journal.partitions().await?).collect())
    }

    /// Reads whatever lies after a position, in all partitions.
    pub(super) async fn read_after(&self, after: Position) -> Result<Batch> {
        self.journal.advance().await?;
        let partitions = self.all_partitions().await?;
        let until = Position::END;
        self.journal.read(&ReadRequest { partitions, after, until, limit: 100_000, max_bytes: usize::MAX }).await
    }

    pub(super) async fn read_all(&self) -> Result<Vec<Entry>> {
        Ok(self.read_after(Position::START).await?.entries)
    }

    /// Takes every partition for longer than the test lasts.
    pub(super) async fn lease_all(&self, name: &str) -> Result<Vec<Lease>> {
        let want = usize::from(self.journal.partitions().await?);
        Ok(self.journal.lease(&worker(name), LONG, want).await?.leases)
    }

    /// As [`Journal::renew`] with nothing to report.
    pub(super) async fn renew(&self, name: &str, ttl: Duration, held: &[Lease]) -> Result<Vec<Partition>> {
        self.journal.renew(&worker(name), ttl, held, &WorkerReport::default()).await
    }

    /// Commits lanes that must be accepted.
    pub(super) async fn commit(&self, commits: &[LaneCommit]) -> Result<()> {
        let refused = self.journal.commit(commits).await?;
        assert_eq!(refused, Vec::<Partition>::new(), "no lane is refused while its lease is held");
        Ok(())
    }

    pub(super) async fn open_one(&self, destination: &str, lease: Lease) -> Result<LaneState> {
        let mut states = self.journal.open(&destination.into(), &[lease]).await?;
        assert_eq!(states.len(), 1, "a held lease opens one lane");
        Ok(states.remove(0))
    }

    /// What is due at a destination in all partitions.
    pub(super) async fn due(&self, destination: &str) -> Result<DueBatch> {
        let partitions = self.all_partitions().await?;
        self.journal.due(&destination.into(), &partitions, 1_000).await
    }

    pub(super) async fn due_ids(&self, destination: &str) -> Result<Vec<MessageId>> {
        Ok(self.due(destination).await?.deliveries.iter().map(|due| due.entry.message.id).collect())
    }

    pub(super) async fn list(&self, filter: &Filter) -> Result<Vec<Listed>> {
        Ok(self.inspect.list(filter, Page::after(Position::START, 1_000)).await?.rows)
    }

    /// The status of a message at a destination that takes it.
    pub(super) async fn status(&self, destination: &str, id: MessageId) -> Result<Option<Status>> {
        let destination = Some(Name::from(destination));
        let listed = self.list(&Filter { ids: vec![id], destination, ..Filter::default() }).await?;
        Ok(listed.first().and_then(|listed| listed.status))
    }
}

pub(super) fn worker(name: &str) -> WorkerId {
    WorkerId(name.to_owned())
}
