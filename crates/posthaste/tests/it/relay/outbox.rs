//! A store with an application that writes to it and an operator who looks after it.

use std::sync::Arc;

use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::destination::{Destination, Name};
use posthaste::inspect::{Change, DeliveryReport, DestinationCounts, Filter, Mode, Operation, OperationReport, Status};
use posthaste::message::MessageId;
use posthaste::relay::Settings;
use posthaste::sink::Sink;
use posthaste::store::Store;
pub(super) use posthaste::testkit::waiting::{DEADLINE, eventually, until};
use posthaste::{Message, Result};

use super::making::settings;
use super::meddled::{Meddle, Meddled};
use super::running::Running;
use crate::stores::{memory, sqlite};

pub(super) struct Outbox {
    subject: Arc<dyn StoreUnderTest>,
    store: Arc<dyn Store>,
    meddle: Option<Arc<dyn Meddle>>,
}

impl Outbox {
    pub(super) async fn in_memory() -> Self {
        Self::of(memory::fresh().await)
    }

    pub(super) async fn on_sqlite() -> Self {
        Self::of(sqlite::fresh().await)
    }

    #[cfg(feature = "postgres")]
    pub(super) async fn on_postgres() -> Self {
        Self::of(crate::stores::postgres::fresh().await)
    }

    #[cfg(feature = "mysql")]
    pub(super) async fn on_mysql() -> Self {
        Self::of(crate::stores::mysql::fresh().await)
    }

    #[cfg(feature = "mongodb")]
    pub(super) async fn on_mongodb() -> Self {
        Self::of(crate::stores::mongodb::Database::fresh("mongodb").await)
    }

    pub(super) fn of(subject: impl StoreUnderTest) -> Self {
        Self { store: subject.store(), subject: Arc::new(subject), meddle: None }
    }

    /// The same store, but the relays' calls to it are meddled with.
    pub(super) fn meddled(self, meddle: Arc<dyn Meddle>) -> Self {
        Self { meddle: Some(meddle), ..self }
    }

    /// The store as a relay has it.
    pub(super) fn store(&self) -> Arc<dyn Store> {
        let inner = self.store.clone();
        match self.meddle.clone() {
            Some(meddle) => Arc::new(Meddled { inner, meddle }),
            None => inner,
        }
    }

    /// Writes messages in one committed transaction.
    pub(super) async fn write(&self, messages: &[Message]) -> Result<()> {
        let enqueued = self.subject.write(messages.to_vec()).await?;
        assert_eq!(enqueued.stored, messages.len());
        Ok(())
    }

    /// Writes messages and leaves the transaction open.
    pub(super) async fn begin(&self, messages: &[Message]) -> Result<Box<dyn OpenTransaction>> {
        self.subject.begin(messages.to_vec()).await
    }

    /// A relay for one destination.
    pub(super) fn start(&self, destination: Destination, sink: Arc<dyn Sink>) -> Running {
        self.start_with(settings("worker"), vec![(destination, sink)])
    }

    pub(super) fn start_with(&self, settings: Settings, destinations: Vec<(Destination, Arc<dyn Sink>)>) -> Running {
        Running::start(self.store(), settings, destinations)
    }

    /// What became of a message at a destination that takes it.
    pub(super) async fn delivery(&self, destination: &str, id: MessageId) -> Result<DeliveryReport> {
        Ok(self.find(destination, id).await?.expect("the destination takes the message"))
    }

    /// `None` before the relay has made its destinations known.
    pub(super) async fn status(&self, destination: &str, id: MessageId) -> Result<Option<Status>> {
        Ok(self.find(destination, id).await?.map(|delivery| delivery.status))
    }

    async fn find(&self, destination: &str, id: MessageId) -> Result<Option<DeliveryReport>> {
        let report = self.store.get(id).await?.expect("the message is stored");
        Ok(report.deliveries.into_iter().find(|delivery| delivery.destination == destination))
    }

    /// Waits until a message has come so far.
    pub(super) async fn until_status(&self, destination: &str, id: MessageId, status: Status) -> Result<()> {
        let what = format!("{id} is {status:?} at {destination}");
        eventually(&what, || async { Ok(self.status(destination, id).await? == Some(status)) }).await
    }

    pub(super) async fn counts(&self, destination: &str) -> Result<DestinationCounts> {
        let counts = self.store.overview().await?.destinations;
        Ok(counts.into_iter().find(|counts| counts.destination == destination).unwrap_or_default())
    }

    /// Messages kept, delivered ones included.
    pub(super) async fn kept(&self) -> Result<u64> {
        Ok(self.store.overview().await?.messages)
    }

    pub(super) async fn operate(&self, operation: Operation, ids: &[MessageId]) -> Result<OperationReport> {
        let filter = Filter { ids: ids.to_vec(), ..Filter::default() };
        self.store.operate(operation, &filter, Mode::Apply).await
    }

    /// The latest change that someone made.
    pub(super) async fn last_change(&self) -> Result<Option<Change>> {
        Ok(self.store.audit(None, 1).await?.pop().map(|entry| entry.change))
    }

    pub(super) async fn pause(&self, destination: &str) -> Result<bool> {
        self.store.pause(&Name::from(destination)).await
    }

    pub(super) async fn resume(&self, destination: &str) -> Result<bool> {
        self.store.resume(&Name::from(destination)).await
    }
}
