//! Reads a topic, which it creates, from its beginning, committed messages only.

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{Consumer as _, StreamConsumer};
use rdkafka::message::{Headers, Message as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use super::{KEPT, PAUSE};
use crate::record::{Done, Record, now_micros};
use crate::{Failure, ready};

pub(super) async fn consume(brokers: &str, topic: &str, record: &'static Record) -> Result<(), Failure> {
    create(brokers, topic).await?;
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "chaos")
        .set("enable.auto.commit", "false")
        .create()?;
    // All of it, wherever the broker was meanwhile: a member of a group would begin anew when it has to join again.
    let mut partitions = TopicPartitionList::new();
    (0..PARTITIONS).try_for_each(|nth| partitions.add_partition_offset(topic, nth, Offset::Beginning))?;
    consumer.assign(&partitions)?;
    ready(None);
    let mut next = [0_i64; PARTITIONS as usize];
    loop {
        match consumer.recv().await {
            Err(error) => {
                eprintln!("{error}");
                tokio::time::sleep(PAUSE).await;
            }
            // What a client that had to begin anew has read before came once.
            Ok(message) if message.offset() < next[message.partition() as usize] => {}
            Ok(message) => {
                next[message.partition() as usize] = message.offset() + 1;
                let id = message.headers().and_then(|headers| {
                    let id = headers.iter().find(|header| header.key == "posthaste-id")?;
                    Some(String::from_utf8_lossy(id.value?).into_owned())
                });
                let at = message.timestamp().to_millis().map_or_else(now_micros, |millis| millis as u128 * 1_000);
                let payload = message.payload().unwrap_or_default();
                record.note_at(at, "", &id.unwrap_or_default(), payload, Done::Taken);
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
    // When it came to the broker, whatever the clock of the relay says.
    let new = new.set("segment.ms", "60000").set("message.timestamp.type", "LogAppendTime");
    let created = admin.create_topics([&new], &AdminOptions::new()).await?;
    created.into_iter().try_for_each(|topic| topic.map(drop).map_err(|(name, error)| format!("{name}: {error}").into()))
}
