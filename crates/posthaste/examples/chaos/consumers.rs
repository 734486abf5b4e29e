//! Consumers: independent programs that take what relays deliver, and record it.

use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;

use crate::Failure;
use crate::record::Record;

mod kafka;
mod nats;
mod rabbitmq;
mod redis;
mod webhook;

/// What can be read by others is never older than this.
const FLUSHED: Duration = Duration::from_millis(200);
/// Between a failure and the next try.
const PAUSE: Duration = Duration::from_millis(200);

/// How long brokers keep what they could give out again: a long run would fill the disk.
const KEPT: Duration = Duration::from_secs(300);

/// Where it takes from.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Consumer {
    /// An endpoint, which at times fails, is slow, or forgets to answer.
    Webhook {
        bind: SocketAddr,
        seed: u64,
    },
    Redis {
        address: String,
        stream: String,
    },
    Rabbitmq {
        url: String,
        queue: String,
    },
    Kafka {
        brokers: String,
        topic: String,
    },
    Nats {
        url: String,
        stream: String,
        subjects: String,
    },
}

impl Consumer {
    pub(crate) async fn run(self, record: Record, end: impl Future<Output = ()>) -> Result<(), Failure> {
        let record = &*Box::leak(Box::new(record));
        let flush = async {
            loop {
                tokio::time::sleep(FLUSHED).await;
                record.flush();
            }
        };
        let ended = tokio::select! {
            () = end => Ok(()),
            never = flush => never,
            failure = self.consume(record) => failure,
        };
        record.flush();
        ended
    }

    async fn consume(self, record: &'static Record) -> Result<(), Failure> {
        match self {
            Self::Webhook { bind, seed } => webhook::serve(bind, seed, record).await,
            Self::Redis { address, stream } => redis::read(&address, &stream, record).await,
            Self::Rabbitmq { url, queue } => rabbitmq::consume(&url, &queue, record).await,
            Self::Kafka { brokers, topic } => kafka::consume(&brokers, &topic, record).await,
            Self::Nats { url, stream, subjects } => nats::consume(&url, &stream, &subjects, record).await,
        }
    }
}
