//! RabbitMQ.

use std::cell::RefCell;

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::runtime::Runtime;

use super::Broker;
use crate::program::Place;
use crate::servers::rabbitmq::write_down_queues;
use crate::servers::{Private, block_on};

const QUEUE: &str = "orders";

struct Rabbitmq {
    server: Private,
    reader: RefCell<Option<Reader>>,
}

impl Rabbitmq {
    fn start() -> Self {
        let server = block_on(Private::start("rabbitmq"));
        let reader = Reader::at(&server.address());
        write_down_queues(&server);
        Self { server, reader: RefCell::new(Some(reader)) }
    }
}

/// Reads a queue and acknowledges nothing, so that the next one reads all of it again.
struct Reader {
    runtime: Runtime,
    channel: Channel,
    arrived: Vec<String>,
    _connection: Connection,
}

impl Reader {
    fn at(address: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (connection, channel) = runtime.block_on(async {
            let url = format!("amqp://guest:guest@{address}");
            let connection = Connection::connect(&url, ConnectionProperties::default()).await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            let durable = QueueDeclareOptions { durable: true, ..Default::default() };
            channel.queue_declare(QUEUE.into(), durable, FieldTable::default()).await.unwrap();
            (connection, channel)
        });
        Self { runtime, channel, arrived: Vec::new(), _connection: connection }
    }

    fn read(&mut self) -> Vec<String> {
        let get = || self.channel.basic_get(QUEUE.into(), BasicGetOptions::default());
        while let Some(message) = self.runtime.block_on(get()).unwrap() {
            self.arrived.push(message.delivery.properties.message_id().as_ref().unwrap().to_string());
        }
        self.arrived.clone()
    }
}

impl Broker for Rabbitmq {
    const DROPS_REPEATS: bool = false;

    /// Through the default exchange, in which a routing key is a queue.
    fn destination(&self) -> String {
        let url = format!("amqp://guest:guest@{}", self.server.address());
        format!("type = 'rabbitmq', rabbitmq = {{ url = '{url}', routing_key = '{QUEUE}' }}")
    }

    fn arrived(&self) -> Vec<String> {
        self.reader.borrow_mut().as_mut().map(Reader::read).unwrap_or_default()
    }

    fn kill(&mut self) {
        self.reader.take();
        self.server.kill();
    }

    fn start_again(&mut self) {
        block_on(self.server.restart());
        self.reader = RefCell::new(Some(Reader::at(&self.server.address())));
    }
}

#[test]
fn relays_that_are_killed_lose_nothing() {
    super::relays_that_are_killed_lose_nothing(&Rabbitmq::start());
}

#[test]
fn an_outage_spends_no_attempt_and_loses_nothing() {
    super::an_outage_spends_no_attempt_and_loses_nothing(&mut Rabbitmq::start());
}

#[test]
fn what_is_wrong_with_the_settings_is_named_and_passwords_are_not() {
    let place = Place::empty();
    let settings = "{ url = 'amqp://guest:s3cret@[::1]', rooting_key = 'x' }";
    place.write("posthaste.toml", &format!("destinations.bus = {{ type = 'rabbitmq', rabbitmq = {settings} }}"));
    let answer = place.run(["check"]).ends_with(1).stdout;
    assert!(answer.contains("destinations.bus.rabbitmq.rooting_key"), "{answer}");
    assert!(!answer.contains("s3cret"), "{answer}");
}
