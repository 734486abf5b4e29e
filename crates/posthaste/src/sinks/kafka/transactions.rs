//! Every run a transaction, with a producer for each partition of the journal.
//!
//! The brokers know the producer of a partition by its name, and only the newest of that name: it fences those before. So when
//! another worker takes a partition over, what this one still had under way can no longer be committed. Consumers that read
//! committed messages only (`isolation.level=read_committed`) never see it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rdkafka::ClientConfig;
use rdkafka::producer::Producer as _;

use super::connection::{Batches, Producer};
use super::encode::Record;
use super::publish::{Pace, in_order};
use super::settings::Settings;
use super::verdict::Stop;
use crate::journal::Partition;
use crate::sink::{Error, Run};

/// The producer of a partition, used by one run at a time.
type PartitionProducer = Arc<tokio::sync::Mutex<Option<Arc<Producer>>>>;

pub(super) struct Transactions {
    config: ClientConfig,
    id: String,
    settings: Arc<Settings>,
    producers: Mutex<HashMap<Partition, PartitionProducer>>,
}

impl Transactions {
    pub(super) fn new(mut config: ClientConfig, id: &str, settings: Arc<Settings>) -> Self {
        // In a transaction nothing is lost by giving up a single message: all of it is given up.
        config.remove("message.timeout.ms");
        Self { config, id: id.to_owned(), settings, producers: Mutex::default() }
    }

    /// All records in one transaction; if it is open which of them was refused, each in one of its own.
    pub(super) async fn send(&self, run: &Run, records: &[Record<'_>]) -> (usize, Option<Error>) {
        if records.is_empty() {
            return (0, None);
        }
        let held = self.of_partition(run.partition);
        let mut held = held.lock().await;
        let mut confirmed = 0;
        let (mut together, mut batches) = (records.len(), Batches::Shared);
        while confirmed < records.len() {
            // Taken out, so that a producer whose run is dropped in the middle of a transaction is not used again.
            let producer = match self.producer(held.take(), run, batches).await {
                Ok(producer) => producer,
                Err(error) => return (confirmed, Some(error)),
            };
            let next = &records[confirmed..records.len().min(confirmed + together)];
            match self.commit(&producer, next).await {
                Ok(()) => confirmed += next.len(),
                Err(Stop::Ambiguous) => {
                    (together, batches) = (1, Batches::OfOne);
                    continue;
                }
                Err(Stop::Because(error) | Stop::Lost(error)) => return (confirmed, Some(error)),
                Err(Stop::Purged) => return (confirmed, Some(producer.cluster.interrupted())),
            }
            *held = Some(producer);
        }
        (confirmed, None)
    }

    fn of_partition(&self, partition: Partition) -> PartitionProducer {
        self.producers.lock().unwrap_or_else(PoisonError::into_inner).entry(partition).or_default().clone()
    }

    /// The producer that was there, or a new one, which fences all others of its name.
    async fn producer(
        &self,
        before: Option<Arc<Producer>>,
        run: &Run,
        batches: Batches,
    ) -> Result<Arc<Producer>, Error> {
        if let Some(producer) = before.filter(|producer| producer.is_usable() && producer.batches == batches) {
            return Ok(producer);
        }
        let mut config = self.config.clone();
        config.set("transactional.id", format!("{}.{}.{}", self.id, run.destination, run.partition));
        let producer = Producer::start(&config, batches)?;
        let patience = self.settings.timeout;
        let ready = producer.blocking(move |client| client.init_transactions(patience)).await;
        ready.map_err(|error| producer.cluster.error(&error))?;
        Ok(producer)
    }

    /// One transaction. After an error it is open, and the next producer of this name ends it: to end it with this one would be to
    /// wait for messages that it neither sends nor gives up.
    async fn commit(&self, producer: &Arc<Producer>, records: &[Record<'_>]) -> Result<(), Stop> {
        let lost = |error| Stop::Lost(producer.cluster.error(&error));
        producer.client().begin_transaction().map_err(lost)?;
        if let Some(stop) = in_order(producer, records, Pace::Everything, &self.settings).await.stop {
            return Err(stop);
        }
        let patience = self.settings.timeout;
        producer.blocking(move |client| client.commit_transaction(patience)).await.map_err(lost)
    }
}

impl fmt::Debug for Transactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transactions").field(&self.id).finish()
    }
}
