//! Kafka.

use std::cell::RefCell;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Headers as _, Message as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use super::Broker;
use crate::program::Place;
use crate::servers::{Private, block_on};

const TOPIC: &str = "orders";
const PARTITIONS: i32 = 4;

struct Kafka {
    server: Private,
    reader: RefCell<Reader>,
}

impl Kafka {
    fn start() -> Self {
        let server = block_on(Private::start("kafka"));
        let admin: AdminClient<DefaultClientContext> = config(&server.address()).create().unwrap();
        let new = NewTopic::new(TOPIC, PARTITIONS, TopicReplication::Fixed(1));
        let made = block_on(async { admin.create_topics([&new], &AdminOptions::new()).await.unwrap() });
        assert_eq!(made, [Ok(TOPIC.to_owned())]);
        let reader = Reader::at(&server.address());
        Self { server, reader: RefCell::new(reader) }
    }
}

fn config(address: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address).set("group.id", "it").set("enable.auto.commit", "false");
    config
}

/// Reads a topic from its beginning.
struct Reader {
    consumer: BaseConsumer,
    arrived: Vec<String>,
}

impl Reader {
    fn at(address: &str) -> Self {
        let consumer: BaseConsumer = config(address).create().unwrap();
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(TOPIC, partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&partitions).unwrap();
        Self { consumer, arrived: Vec::new() }
    }

    fn read(&mut self) -> Vec<String> {
        while let Some(message) = self.consumer.poll(Duration::from_millis(300)) {
            // A broker that starts does not know its partitions at once.
            let Ok(message) = message else { continue };
            let headers = message.headers().unwrap();
            let id = headers.iter().find(|header| header.key == "posthaste-id").unwrap().value.unwrap();
            self.arrived.push(String::from_utf8(id.to_vec()).unwrap());
        }
        self.arrived.clone()
    }
}

impl Broker for Kafka {
    const DROPS_REPEATS: bool = false;

    fn destination(&self) -> String {
        format!("type = 'kafka', kafka = {{ brokers = '{}', topic = '{TOPIC}' }}", self.server.address())
    }

    fn arrived(&self) -> Vec<String> {
        self.reader.borrow_mut().read()
    }

    fn kill(&mut self) {
        self.server.kill();
    }

    fn start_again(&mut self) {
        block_on(self.server.restart());
        self.reader = RefCell::new(Reader::at(&self.server.address()));
    }
}

#[test]
fn relays_that_are_killed_lose_nothing() {
    super::relays_that_are_killed_lose_nothing(&Kafka::start());
}

#[test]
fn an_outage_spends_no_attempt_and_loses_nothing() {
    super::an_outage_spends_no_attempt_and_loses_nothing(&mut Kafka::start());
}

#[test]
fn what_is_wrong_with_the_settings_is_named_and_passwords_are_not() {
    let place = Place::empty();
    let settings = "{ brokers = 'localhost', properties = { sasl.password = 's3cret', acks = 1 } }";
    place.write("posthaste.toml", &format!("destinations.bus = {{ type = 'kafka', kafka = {settings} }}"));
    let answer = place.run(["check"]).ends_with(1).stdout;
    assert!(answer.contains("destinations.bus.kafka.properties"), "{answer}");
    assert!(answer.contains("`acks`, which is not to be changed (acks=all)"), "{answer}");
    assert!(!answer.contains("s3cret"), "{answer}");
}
