//! A topic, and reading it as any consumer would.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use posthaste::conformance::sink_suite::Arrived;
use posthaste::message::Headers;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use uuid::Uuid;

use crate::servers;

/// More than this in a batch is refused. Above the largest payload of the suite.
pub(crate) const MAX_BYTES: usize = 1_500_000;

pub(crate) const PARTITIONS: i32 = 4;

/// A topic of one test, with a consumer that is at its beginning.
pub(crate) struct Topic {
    pub(crate) name: String,
    reader: Arc<Reader>,
}

/// A record as it lies in the topic.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) key: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) value: Vec<u8>,
}

struct Reader {
    consumer: BaseConsumer,
    records: Mutex<Vec<Record>>,
    partitions: Mutex<HashMap<String, i32>>,
}

pub(crate) fn config(brokers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers);
    config
}

fn new_name() -> String {
    format!("posthaste-{}", Uuid::now_v7().simple())
}

impl Topic {
    pub(crate) async fn create(options: &[(&str, &str)]) -> Self {
        Self::create_at(&servers::address("kafka"), options).await
    }

    pub(crate) async fn create_at(brokers: &str, options: &[(&str, &str)]) -> Self {
        let name = new_name();
        let admin: AdminClient<DefaultClientContext> = config(brokers).create().unwrap();
        let max = MAX_BYTES.to_string();
        let mut new = NewTopic::new(&name, PARTITIONS, TopicReplication::Fixed(1));
        if options.iter().all(|(option, _)| *option != "max.message.bytes") {
            new = new.set("max.message.bytes", &max);
        }
        for (option, value) in options {
            new = new.set(option, value);
        }
        let made = admin.create_topics([&new], &AdminOptions::new()).await.expect("Kafka is up");
        assert_eq!(made, [Ok(name.clone())]);
        Self { reader: Arc::new(Reader::at_the_beginning_of(&name, brokers)), name }
    }

    /// A topic that somebody else makes, with this name and so many partitions.
    pub(crate) fn at(brokers: &str, make: impl FnOnce(&str, i32)) -> Self {
        let name = new_name();
        make(&name, PARTITIONS);
        Self { reader: Arc::new(Reader::at_the_beginning_of(&name, brokers)), name }
    }

    /// Everything that has come so far and is committed, in the plain format.
    pub(crate) async fn arrived(&self) -> Vec<Arrived> {
        self.records().await.iter().map(Record::message).collect()
    }

    /// The same as it lies there.
    pub(crate) async fn records(&self) -> Vec<Record> {
        let reader = self.reader.clone();
        tokio::task::spawn_blocking(move || reader.read()).await.unwrap()
    }

    /// Where the messages of a key are, among those that have arrived.
    pub(crate) fn partition_of(&self, key: &str) -> Option<i32> {
        self.reader.partitions.lock().unwrap().get(key).copied()
    }
}

impl Reader {
    fn at_the_beginning_of(topic: &str, brokers: &str) -> Self {
        let mut config = config(brokers);
        config.set("group.id", topic).set("enable.auto.commit", "false").set("isolation.level", "read_committed");
        config.set("fetch.wait.max.ms", "10");
        let consumer: BaseConsumer = config.create().unwrap();
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&partitions).unwrap();
        Self { consumer, records: Mutex::default(), partitions: Mutex::default() }
    }

    /// Reads up to the ends that the partitions have now.
    fn read(&self) -> Vec<Record> {
        let assigned = self.consumer.assignment().unwrap();
        let mut ends = HashMap::new();
        for one in assigned.elements() {
            ends.insert(one.partition(), self.end_of(one.topic(), one.partition()));
        }
        while self.is_before(&ends) {
            match self.consumer.poll(Duration::from_millis(50)) {
                Some(Ok(message)) => self.take(&message),
                Some(Err(error)) => panic!("{error}"),
                None => {}
            }
        }
        self.records.lock().unwrap().clone()
    }

    /// A leader that moves is asked again.
    fn end_of(&self, topic: &str, partition: i32) -> i64 {
        let patience = Duration::from_secs(30);
        let asked = || self.consumer.fetch_watermarks(topic, partition, patience).ok().map(|(_, end)| end);
        (0..100)
            .find_map(|_| {
                asked().or_else(|| {
                    std::thread::sleep(Duration::from_millis(50));
                    None
                })
            })
            .expect("a leader")
    }

    fn take(&self, message: &BorrowedMessage<'_>) {
        let record = Record::of(message);
        if let Some(key) = record.key.clone() {
            self.partitions.lock().unwrap().insert(key, message.partition());
        }
        self.records.lock().unwrap().push(record);
    }

    fn is_before(&self, ends: &HashMap<i32, i64>) -> bool {
        let positions = self.consumer.position().unwrap();
        let reached = |partition: i32, end: i64| {
            let position =
                positions.elements().into_iter().find(|one| one.partition() == partition).map(|one| one.offset());
            end == 0 || matches!(position, Some(Offset::Offset(position)) if position >= end)
        };
        ends.iter().any(|(partition, end)| !reached(*partition, *end))
    }
}

impl Record {
    fn of(message: &BorrowedMessage<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let headers = message.headers().map_or_else(Vec::new, |headers| {
            headers.iter().map(|header| (header.key.to_owned(), text(header.value.unwrap()))).collect()
        });
        Self { key: message.key().map(text), headers, value: message.payload().unwrap_or_default().to_vec() }
    }

    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    fn message(&self) -> Arrived {
        let attribute = |name: &str| self.header(name).map(str::to_owned);
        assert_eq!(self.key, attribute("posthaste-key"));
        let own = self.headers.iter().filter(|(name, _)| !name.starts_with("posthaste-") && name != "content-type");
        Arrived {
            id: attribute("posthaste-id").unwrap().parse().unwrap(),
            event_type: attribute("posthaste-event-type").unwrap(),
            key: self.key.clone(),
            tenant: attribute("posthaste-tenant"),
            correlation_id: attribute("posthaste-correlation-id"),
            headers: own.cloned().collect::<Headers>(),
            payload: self.value.clone(),
        }
    }
}
