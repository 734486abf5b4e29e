//! Kafka.

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Headers as _, Message as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use super::{Consumer, block_on, configured, gone_and_back, killed_and_started_again, place, printed};
use crate::lives::Printed;
use crate::program::Place;
use crate::servers::{self, Private};

const PARTITIONS: i32 = 4;

fn config(address: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address).set("group.id", "it").set("enable.auto.commit", "false");
    config
}

/// Reads a topic from its beginning.
struct Reader {
    consumer: BaseConsumer,
    arrived: Vec<Printed>,
}

impl Reader {
    fn of(topic: &str, address: &str) -> Self {
        let consumer: BaseConsumer = config(address).create().unwrap();
        let mut partitions = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            partitions.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&partitions).unwrap();
        Self { consumer, arrived: Vec::new() }
    }
}

impl Consumer for Reader {
    fn arrived(&mut self) -> Vec<Printed> {
        while let Some(message) = self.consumer.poll(Duration::from_millis(300)) {
            // A broker that starts does not know its partitions at once.
            let Ok(message) = message else { continue };
            let headers = message.headers().unwrap();
            let id = headers.iter().find(|header| header.key == "posthaste-id").unwrap().value.unwrap();
            let key = str::from_utf8(message.key().unwrap()).unwrap();
            self.arrived.push(printed(str::from_utf8(id).unwrap(), key, message.payload().unwrap()));
        }
        self.arrived.clone()
    }
}

fn create(topic: &str, address: &str) {
    let admin: AdminClient<DefaultClientContext> = config(address).create().unwrap();
    let new = NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(1));
    let made = block_on(async { admin.create_topics([&new], &AdminOptions::new()).await.expect("Kafka is up") });
    assert_eq!(made, [Ok(topic.to_owned())]);
}

fn place_before(address: &str, topic: &str) -> Place {
    place(&format!("type = 'kafka'\nkafka = {{ brokers = '{address}', topic = '{topic}' }}\n"))
}

#[test]
fn relays_killed_in_the_middle_lose_nothing() {
    let (address, topic) = (servers::address("kafka"), format!("posthaste-{}", uuid::Uuid::now_v7().simple()));
    create(&topic, &address);
    killed_and_started_again(&place_before(&address, &topic), &mut Reader::of(&topic, &address));
}

#[test]
fn a_broker_that_is_down_under_load_costs_no_attempt_and_no_message() {
    let mut broker = block_on(Private::start("kafka"));
    let address = broker.address();
    create("orders", &address);
    let read = || -> Box<dyn Consumer> { Box::new(Reader::of("orders", &address)) };
    gone_and_back(&place_before(&address, "orders"), &mut broker, read);
}

#[test]
fn what_is_wrong_with_the_settings_is_named_and_passwords_are_not() {
    let properties = "{ sasl.password = 's3cret', acks = 1 }";
    let place =
        configured(&format!("type = 'kafka'\nkafka = {{ brokers = 'localhost', properties = {properties} }}\n"));
    let answer = place.run(["check"]).ends_with(2);
    assert!(answer.stderr.contains("destinations.out.kafka.properties"), "{}", answer.stderr);
    assert!(answer.stderr.contains("`acks`, which is not to be changed (acks=all)"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("s3cret"), "{}", answer.stderr);
}
