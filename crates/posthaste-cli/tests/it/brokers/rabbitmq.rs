//! RabbitMQ.

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::runtime::Runtime;

use super::{Consumer, block_on, configured, gone_and_back, killed_and_started_again, place, printed};
use crate::lives::Printed;
use crate::program::Place;
use crate::servers::{self, Private};

/// Reads a queue and acknowledges nothing, so that the next one can read it again.
struct Reader {
    runtime: Runtime,
    channel: Channel,
    queue: String,
    arrived: Vec<Printed>,
    _connection: Connection,
}

impl Reader {
    fn of(queue: &str, address: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (connection, channel) = runtime.block_on(async {
            let url = format!("amqp://guest:guest@{address}");
            let connection = Connection::connect(&url, ConnectionProperties::default()).await.expect("RabbitMQ is up");
            let channel = connection.create_channel().await.unwrap();
            let durable = QueueDeclareOptions { durable: true, ..Default::default() };
            channel.queue_declare(queue.into(), durable, FieldTable::default()).await.unwrap();
            (connection, channel)
        });
        Self { runtime, channel, queue: queue.into(), arrived: Vec::new(), _connection: connection }
    }
}

impl Consumer for Reader {
    fn arrived(&mut self) -> Vec<Printed> {
        let get = || self.channel.basic_get(self.queue.as_str().into(), BasicGetOptions::default());
        while let Some(message) = self.runtime.block_on(get()).unwrap() {
            let properties = &message.delivery.properties;
            let key = match properties.headers().as_ref().unwrap().inner().get("posthaste-key") {
                Some(AMQPValue::LongString(key)) => key.to_string(),
                other => panic!("the key is {other:?}"),
            };
            let id = properties.message_id().as_ref().unwrap();
            self.arrived.push(printed(id.as_str(), &key, &message.delivery.data));
        }
        self.arrived.clone()
    }
}

/// Sends through the default exchange, in which a routing key is a queue.
fn place_before(address: &str, queue: &str) -> Place {
    place(&format!(
        "type = 'rabbitmq'\nrabbitmq = {{ url = 'amqp://guest:guest@{address}', routing_key = '{queue}' }}\n"
    ))
}

#[test]
fn relays_killed_in_the_middle_lose_nothing() {
    let (address, queue) = (servers::address("rabbitmq"), format!("posthaste-{}", uuid::Uuid::now_v7().simple()));
    let mut reader = Reader::of(&queue, &address);
    killed_and_started_again(&place_before(&address, &queue), &mut reader);
}

#[test]
fn a_broker_that_is_down_under_load_costs_no_attempt_and_no_message() {
    let mut broker = block_on(Private::start("rabbitmq"));
    let address = broker.address();
    let read = || -> Box<dyn Consumer> { Box::new(Reader::of("orders", &address)) };
    read();
    gone_and_back(&place_before(&address, "orders"), &mut broker, read);
}

#[test]
fn what_is_wrong_with_the_settings_is_named_and_passwords_are_not() {
    let place = configured("type = 'rabbitmq'\nrabbitmq = { url = 'amqp://guest:s3cret@[::1]', rooting_key = 'x' }\n");
    let answer = place.run(["check"]).ends_with(2);
    assert!(answer.stderr.contains("destinations.out.rabbitmq.rooting_key"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("s3cret"), "{}", answer.stderr);
}
