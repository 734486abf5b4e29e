//! One producer for all runs, made when it is first needed and again after it is lost.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::{FutureProducer, Producer as _, PurgeConfig};
use rdkafka::{ClientConfig, Statistics};
use tokio::sync::watch;

use super::errors;
use crate::sink::Error;
use crate::sinks::known::Known;

/// How a client is, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Fine,
    /// All brokers are out of reach.
    CutOff,
    /// It has met an error after which it sends nothing more.
    Stopped,
}

/// Listens to what the client says about itself, and logs nothing.
pub(super) struct Listener {
    health: watch::Sender<Health>,
}

impl ClientContext for Listener {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn stats(&self, _: Statistics) {}

    fn error(&self, error: KafkaError, _: &str) {
        let health = match error {
            KafkaError::Global(RDKafkaErrorCode::AllBrokersDown) => Health::CutOff,
            KafkaError::Global(RDKafkaErrorCode::Fatal) => Health::Stopped,
            _ => return,
        };
        // There is nothing after the end.
        self.health.send_if_modified(|now| *now != Health::Stopped && std::mem::replace(now, health) != health);
    }
}

pub(super) type Client = FutureProducer<Listener>;

/// A client with its threads.
pub(super) struct Producer {
    client: Client,
    health: watch::Sender<Health>,
    /// Why it was given up, if it was.
    lost: OnceLock<Error>,
    pub(super) batches: Batches,
    /// That have taken a message from this client; see [`Record::place`](super::record::Record::place).
    pub(super) places: Known<u64>,
}

/// What the client sends together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Batches {
    /// Whatever comes, from whatever run.
    Shared,
    /// One record at a time, so that what the broker says is about it.
    OfOne,
}

impl Producer {
    pub(super) fn start(config: &ClientConfig, batches: Batches) -> Result<Arc<Self>, Error> {
        let health = watch::Sender::new(Health::Fine);
        let client = config.create_with_context(Listener { health: health.clone() });
        let client = client.map_err(|error| errors::of_client(&error))?;
        Ok(Arc::new(Self { client, health, lost: OnceLock::new(), batches, places: Known::default() }))
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Ends when it is in this state.
    pub(super) async fn is(&self, state: Health) {
        // The sender is as old as the producer.
        let _ = self.health.subscribe().wait_for(|now| *now == state).await;
    }

    /// A broker has answered.
    pub(super) fn is_in_touch(&self) {
        self.health.send_if_modified(|now| *now == Health::CutOff && std::mem::replace(now, Health::Fine) != *now);
    }

    pub(super) fn is_usable(&self) -> bool {
        let healthy = *self.health.borrow() == Health::Fine && self.client.client().fatal_error().is_none();
        healthy && self.lost.get().is_none()
    }

    pub(super) fn lost(&self) -> Option<&Error> {
        self.lost.get()
    }

    /// Gives it up with all it holds, so that nothing of it is sent later on.
    pub(super) fn give_up(&self, why: Error) {
        // Whoever came first knows best.
        let _ = self.lost.set(why);
        self.purge();
    }

    /// Throws away all it holds.
    pub(super) fn purge(&self) {
        self.client.purge(PurgeConfig::default().queue().inflight().non_blocking());
    }

    /// Does something that takes time.
    pub(super) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        ask: impl FnOnce(&Client) -> KafkaResult<T> + Send + 'static,
    ) -> Result<T, KafkaError> {
        let producer = self.clone();
        let asked = tokio::task::spawn_blocking(move || ask(&producer.client)).await;
        asked.unwrap_or(Err(KafkaError::Canceled))
    }

    /// Asks the cluster for a topic, or for anything.
    pub(super) async fn find(self: &Arc<Self>, topic: Option<String>, patience: Duration) -> Result<(), Error> {
        let found = self.blocking(move |client| {
            let metadata = client.client().fetch_metadata(topic.as_deref(), patience)?;
            let errors = metadata.topics().iter().filter(|found| topic.as_deref() == Some(found.name()));
            match errors.filter_map(|found| found.error()).next() {
                Some(error) => Err(KafkaError::MetadataFetch(error.into())),
                None => Ok(()),
            }
        });
        found.await.map_err(|error| errors::of_client(&error))?;
        self.is_in_touch();
        Ok(())
    }
}

impl fmt::Debug for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("health", &*self.health.borrow()).finish_non_exhaustive()
    }
}

/// Holds the producer that is in use.
pub(super) struct Slot {
    config: ClientConfig,
    batches: Batches,
    current: Mutex<Option<Arc<Producer>>>,
}

impl Slot {
    pub(super) fn new(mut config: ClientConfig, batches: Batches) -> Self {
        if batches == Batches::OfOne {
            config.set("batch.num.messages", "1");
        }
        Self { config, batches, current: Mutex::default() }
    }

    /// The producer; a new one if the last one is of no use any more.
    pub(super) fn producer(&self) -> Result<Arc<Producer>, Error> {
        let mut current = self.lock();
        match current.as_ref().filter(|producer| producer.is_usable()) {
            Some(producer) => Ok(producer.clone()),
            None => Ok(current.insert(Producer::start(&self.config, self.batches)?).clone()),
        }
    }

    /// What is in there is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Producer>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The config holds passwords.
impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot").field(&self.config.get("bootstrap.servers")).finish()
    }
}
