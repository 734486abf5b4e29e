//! Reads a topic from its beginning, committed messages only.

use rdkafka::ClientConfig;
use rdkafka::consumer::{Consumer as _, StreamConsumer};
use rdkafka::message::{Headers, Message as _};

use super::PAUSE;
use crate::record::{Done, Record};
use crate::{Failure, ready};

pub(super) async fn consume(brokers: &str, topic: &str, record: &'static Record) -> Result<(), Failure> {
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "chaos")
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
        .set("allow.auto.create.topics", "true")
        .set("topic.metadata.refresh.interval.ms", "1000")
        .create()?;
    consumer.subscribe(&[topic])?;
    ready(None);
    loop {
        match consumer.recv().await {
            Err(error) => {
                eprintln!("{error}");
                tokio::time::sleep(PAUSE).await;
            }
            Ok(message) => {
                let id = message.headers().and_then(|headers| {
                    let id = headers.iter().find(|header| header.key == "posthaste-id")?;
                    Some(String::from_utf8_lossy(id.value?).into_owned())
                });
                record.note("", &id.unwrap_or_default(), message.payload().unwrap_or_default(), Done::Taken);
            }
        }
    }
}
