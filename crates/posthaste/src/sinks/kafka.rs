//! Apache Kafka, through librdkafka.
//!
//! Delivered means: written to all replicas that are in sync (`acks=all`).
//!
//! One idempotent producer sends for all runs: the broker drops what the client sends twice and keeps what it sends in order. The
//! producer never skips a message that failed for good; it stops instead (`enable.gapless.guarantee`). A producer that stopped,
//! gave no answer or lost all brokers is thrown away with all it held, and a new one starts from the first unconfirmed message
//! of each run.
//!
//! Which message of a batch the broker refused is not always known, and runs share batches. So the rest of such a run is sent again by
//! a second producer, whose batches have one message each.
//!
//! With `transactional_id` each partition of the journal has a producer of its own, and a run is a transaction. A worker that takes
//! a partition over fences the producer of the one before, so that what a zombie still sends is never committed.

use std::sync::Arc;

use async_trait::async_trait;

use self::connection::{Batches, CurrentProducer};
use self::encode::Record;
use self::publish::Pace;
use self::transactions::Transactions;
use self::verdict::Stop;
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

pub use self::properties::Properties;
pub use self::settings::Settings;

mod client_config;
mod connection;
mod encode;
mod listener;
mod properties;
mod publish;
mod settings;
mod transactions;
mod verdict;

/// A producer that loses its place so often while one run is delivered has a reason that is not this run's.
const MAX_RESTARTS: usize = 3;

/// What goes together is waited for together, so that a long burst would keep its first messages waiting.
const RUNS_AT_ONCE: usize = 1_000;

/// Writes to topics.
#[derive(Debug)]
pub struct Kafka {
    settings: Arc<Settings>,
    current: CurrentProducer,
    /// For runs of which a batch was refused.
    careful: CurrentProducer,
    transactions: Option<Transactions>,
}

impl Kafka {
    /// Connects when first needed. An error says which setting is wrong.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        encode::check(&settings)?;
        let config = client_config::new(&settings)?;
        let settings = Arc::new(settings);
        let transactions =
            settings.transactional_id.as_ref().map(|id| Transactions::new(config.clone(), id, settings.clone()));
        Ok(Self {
            current: CurrentProducer::new(config.clone(), Batches::Shared),
            careful: CurrentProducer::new(config, Batches::OfOne),
            transactions,
            settings,
        })
    }

    /// Sends records in order, from the first unconfirmed one on with a new producer if the old one is lost, and one by one from
    /// where a refused batch leaves open whose fault it was.
    async fn send(&self, records: &[Record<'_>]) -> (usize, Option<Error>) {
        let (mut confirmed, mut restarts) = (0, 0);
        let (mut current, mut pace) = (&self.current, Pace::KnownPlaces);
        loop {
            let producer = match current.producer() {
                Ok(producer) => producer,
                Err(error) => return (confirmed, Some(error)),
            };
            let sent = publish::in_order(&producer, &records[confirmed..], pace, &self.settings).await;
            confirmed += sent.confirmed;
            match sent.stop {
                None => return (confirmed, None),
                Some(Stop::Because(error)) => return (confirmed, Some(error)),
                Some(Stop::Ambiguous) => (current, pace) = (&self.careful, Pace::OneByOne),
                Some(Stop::Lost(error)) => {
                    producer.give_up(error.clone());
                    return (confirmed, Some(error));
                }
                Some(Stop::Purged) => match producer.lost() {
                    Some(error) => return (confirmed, Some(error)),
                    None if restarts == MAX_RESTARTS => return (confirmed, Some(producer.cluster.interrupted())),
                    None => restarts += 1,
                },
            }
        }
    }
}

#[async_trait]
impl Sink for Kafka {
    async fn deliver(&self, run: &Run) -> Outcome {
        let (records, refused) = encode::records(&self.settings, run);
        let (confirmed, error) = match &self.transactions {
            Some(transactions) => transactions.send(run, &records).await,
            None => self.send(&records).await,
        };
        match error.or(refused) {
            Some(error) => Outcome::stopped(confirmed, error),
            None => Outcome::delivered(run),
        }
    }

    /// Beside each other they are in the client's queue before the first is awaited, and so in few batches. A transaction is a
    /// run's own.
    fn runs_at_once(&self) -> usize {
        if self.transactions.is_some() { 1 } else { RUNS_AT_ONCE }
    }

    async fn check(&self) -> Result<(), Error> {
        let producer = self.current.producer()?;
        producer.find(self.settings.topic.fixed().map(Into::into), self.settings.timeout).await
    }
}

#[cfg(test)]
mod tests;
