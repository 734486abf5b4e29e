//! One producer for all runs, made when it is first needed and again after it is lost.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::producer::{FutureProducer, Producer as _, PurgeConfig};
use tokio::time::sleep;

use super::listener::{BrokerProblem, Health, Listener};
use super::verdict::Cluster;
use crate::sink::Error;
use crate::sink::bounded_map::BoundedMap;

/// After all brokers seem to be out of reach. A name that stands for several addresses needs a moment for the next one.
const GRACE: Duration = Duration::from_secs(1);

pub(super) type Client = FutureProducer<Listener>;

/// A client with its threads.
pub(super) struct Producer {
    client: Client,
    listener: Listener,
    /// To name it in errors.
    pub(super) cluster: Cluster,
    /// Why it was given up, if it was. Locked while records are handed over.
    lost: RwLock<Option<Error>>,
    pub(super) batches: Batches,
    /// That have taken a message from this client; see [`Record::place`](super::encode::Record::place).
    pub(super) places: BoundedMap<u64>,
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
        let listener = Listener::default();
        let client = config.create_with_context(listener.clone());
        let cluster = Cluster::at(config.get("bootstrap.servers").unwrap_or_default());
        let client = client.map_err(|error| cluster.error(&error))?;
        Ok(Arc::new(Self {
            client,
            listener,
            cluster,
            lost: RwLock::default(),
            batches,
            places: BoundedMap::default(),
        }))
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Ends when it is in this state.
    pub(super) async fn is(&self, state: Health) {
        // The sender is as old as the producer.
        let _ = self.listener.health.subscribe().wait_for(|now| *now == state).await;
    }

    /// Ends when there is no use in waiting for any broker: all are out of reach, and stay so for a moment.
    pub(super) async fn is_cut_off(&self) -> Error {
        self.is(Health::CutOff).await;
        sleep(GRACE).await;
        self.cluster.cut_off(self.broker_problem().map(|problem| problem.text))
    }

    /// Ends when no broker lets us in. One that is merely down may be back at any moment.
    async fn is_turned_away(&self) -> Error {
        let error = self.is_cut_off().await;
        match self.broker_problem().is_some_and(|problem| problem.turned_away) {
            true => error,
            false => std::future::pending().await,
        }
    }

    fn broker_problem(&self) -> Option<BrokerProblem> {
        lock(&self.listener.broker_problem).clone()
    }

    /// A broker has answered.
    pub(super) fn is_in_touch(&self) {
        *lock(&self.listener.broker_problem) = None;
        self.listener
            .health
            .send_if_modified(|now| *now == Health::CutOff && std::mem::replace(now, Health::Fine) != *now);
    }

    pub(super) fn is_usable(&self) -> bool {
        let healthy = *self.listener.health.borrow() == Health::Fine && self.client.client().fatal_error().is_none();
        healthy && self.lost().is_none()
    }

    pub(super) fn lost(&self) -> Option<Error> {
        self.lost.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Hands records over, all before it is given up or none: of a run that is handed over while all is thrown away, the second half
    /// would be sent and the first would not.
    pub(super) fn unless_lost<T>(&self, hand_over: impl FnOnce(&Client) -> T) -> Option<T> {
        let lost = self.lost.read().unwrap_or_else(PoisonError::into_inner);
        lost.is_none().then(|| hand_over(&self.client))
    }

    /// Gives it up with all it holds, so that nothing of it is sent later on.
    pub(super) fn give_up(&self, why: Error) {
        // Whoever came first knows best.
        self.lost.write().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
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
        tokio::select! {
            found = found => found.map_err(|error| match self.broker_problem() {
                Some(problem) => self.cluster.cut_off(Some(problem.text)),
                None => self.cluster.error(&error),
            })?,
            error = self.is_turned_away() => return Err(error),
        }
        self.is_in_touch();
        Ok(())
    }
}

impl fmt::Debug for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("health", &*self.listener.health.borrow()).finish_non_exhaustive()
    }
}

/// The producer that is in use.
pub(super) struct CurrentProducer {
    config: ClientConfig,
    batches: Batches,
    current: Mutex<Option<Arc<Producer>>>,
}

impl CurrentProducer {
    pub(super) fn new(mut config: ClientConfig, batches: Batches) -> Self {
        if batches == Batches::OfOne {
            config.set("batch.num.messages", "1");
        }
        Self { config, batches, current: Mutex::default() }
    }

    /// The producer; a new one if the last one is of no use any more.
    pub(super) fn producer(&self) -> Result<Arc<Producer>, Error> {
        let mut current = lock(&self.current);
        match current.as_ref().filter(|producer| producer.is_usable()) {
            Some(producer) => Ok(producer.clone()),
            None => Ok(current.insert(Producer::start(&self.config, self.batches)?).clone()),
        }
    }
}

/// What these locks guard is whole after every single change, so a panic elsewhere spoils nothing.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The config holds passwords.
impl fmt::Debug for CurrentProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CurrentProducer").field(&self.config.get("bootstrap.servers")).finish()
    }
}
