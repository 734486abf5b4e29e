//! Reads a topic, which it creates, from its beginning, committed messages only.

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{Consumer as _, StreamConsumer};
use rdkafka::message::{Headers, Message as _};

use super::{KEPT, PAUSE};
use crate::record::{Done, Record};
use crate::{Failure, ready};

pub(super) async fn consume(brokers: &str, topic: &str, record: &'static Record) -> Result<(), Failure> {
    create(brokers, topic).await?;
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "chaos")
        .set("auto.offset.reset", "earliest")
        .set("enable.auto.commit", "false")
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

/// Keys keep their order in any number of partitions.
const PARTITIONS: i32 = 4;

async fn create(brokers: &str, topic: &str) -> Result<(), Failure> {
    let admin: AdminClient<DefaultClientContext> = ClientConfig::new().set("bootstrap.servers", brokers).create()?;
    let kept = KEPT.as_millis().to_string();
    let new = NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(1)).set("retention.ms", &kept);
    let created = admin.create_topics([&new.set("segment.ms", "60000")], &AdminOptions::new()).await?;
    created.into_iter().try_for_each(|topic| topic.map(drop).map_err(|(name, error)| format!("{name}: {error}").into()))
}
