//! Kafka: one topic of eight partitions, on the server of the tests.

use std::time::Duration;

use posthaste::Message;
use posthaste::sink::template::Template;
use posthaste::sinks::kafka::{Kafka, Settings};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{FutureProducer, FutureRecord};

use super::server::shared;
use super::{bare_rate, by_hand, relay_rate, runtime};

pub(super) fn rate(way: &str) -> f64 {
    let brokers = shared("kafka");
    let topic = runtime().block_on(prepare(&brokers));
    if way == "bare" {
        return by_hand(bare(&brokers, &topic));
    }
    let mut settings = Settings::at(brokers);
    settings.topic = Template::literal(&topic);
    relay_rate("kafka", way, Kafka::new(settings).expect("valid settings"))
}

fn config(brokers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    config
}

/// A new topic.
async fn prepare(brokers: &str) -> String {
    let topic = format!("posthaste-bench-{}", uuid::Uuid::now_v7().simple());
    let admin: AdminClient<DefaultClientContext> = config(brokers).create().expect("a client");
    let new = NewTopic::new(&topic, 8, TopicReplication::Fixed(1));
    let made = admin.create_topics([&new], &AdminOptions::new()).await.expect("an answer");
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    topic
}

/// The same promises and the same patience as the sink.
async fn bare(brokers: &str, topic: &str) -> f64 {
    let mut config = config(brokers);
    config.set("enable.idempotence", "true").set("acks", "all").set("linger.ms", "1");
    let producer: FutureProducer = config.create().expect("a producer");
    let topic = topic.to_owned();
    let send = move |message: Message| {
        let (producer, topic) = (producer.clone(), topic.clone());
        async move {
            let record = FutureRecord::to(&topic).key(message.key.as_deref().unwrap_or_default());
            let sent = producer.send(record.payload(&message.payload[..]), Duration::from_secs(30)).await;
            assert!(sent.is_ok(), "{:?}", sent.err().map(|(error, _)| error));
        }
    };
    bare_rate(send).await
}
