//! Reads what arrived, as any consumer would.

use std::net::SocketAddr;
use std::sync::Mutex;

use lapin::message::Delivery;
use lapin::options::{BasicGetOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties, ExchangeKind};
use posthaste::conformance::sink_suite::Arrived;
use posthaste::message::Headers;
use uuid::Uuid;

use crate::servers;

/// Where the broker is.
pub(super) fn server() -> SocketAddr {
    servers::address("rabbitmq").parse().unwrap()
}

/// An exchange and a queue of the same name, bound to everything about accounts.
pub(super) struct Consumer {
    pub(super) name: String,
    pub(super) channel: Channel,
    arrived: Mutex<Vec<Arrived>>,
    _connection: Connection,
}

impl Consumer {
    /// Of a queue that is there.
    pub(super) async fn of(queue: &str, address: &str) -> Self {
        let url = format!("amqp://guest:guest@{address}/%2f");
        let connection = Connection::connect(&url, ConnectionProperties::default()).await.expect("RabbitMQ is up");
        let channel = connection.create_channel().await.unwrap();
        Self { name: queue.into(), channel, arrived: Mutex::default(), _connection: connection }
    }

    pub(super) async fn of_a_new_queue(arguments: FieldTable) -> Self {
        let name = format!("posthaste-{}", Uuid::now_v7().simple());
        let consumer = Self::of(&name, &server().to_string()).await;
        let (exchange, queue, channel) = (name.as_str(), name.as_str(), &consumer.channel);
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        channel.queue_declare(queue.into(), durable, arguments).await.unwrap();
        let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
        let kind = ExchangeKind::Topic;
        channel.exchange_declare(exchange.into(), kind, durable, FieldTable::default()).await.unwrap();
        consumer.bind("account.#").await;
        consumer
    }

    pub(super) async fn bind(&self, key: &str) {
        let (exchange, queue) = (self.name.as_str().into(), self.name.as_str().into());
        let options = QueueBindOptions::default();
        self.channel.queue_bind(queue, exchange, key.into(), options, FieldTable::default()).await.unwrap();
    }

    pub(super) async fn next(&self) -> Option<Delivery> {
        let got = self.channel.basic_get(self.name.as_str().into(), BasicGetOptions { no_ack: true }).await.unwrap();
        got.map(|message| message.delivery)
    }

    /// Everything that has come so far.
    pub(super) async fn arrived(&self) -> Vec<Arrived> {
        while let Some(delivery) = self.next().await {
            self.arrived.lock().unwrap().push(read(delivery));
        }
        self.arrived.lock().unwrap().clone()
    }
}

/// Reads the native properties, and the headers that the sink and the message added.
fn read(delivery: Delivery) -> Arrived {
    let properties = delivery.properties;
    let text = |name: &str| match properties.headers().as_ref()?.inner().get(name)? {
        AMQPValue::LongString(text) => Some(text.to_string()),
        other => panic!("{name} is {other:?}"),
    };
    assert_eq!(*properties.delivery_mode(), Some(2), "messages outlive the broker");
    Arrived {
        id: properties.message_id().as_ref().unwrap().as_str().parse().unwrap(),
        event_type: properties.kind().as_ref().unwrap().to_string(),
        key: text("posthaste-key"),
        tenant: text("posthaste-tenant"),
        correlation_id: properties.correlation_id().as_ref().map(ToString::to_string),
        headers: own_headers(properties.headers().as_ref().unwrap()),
        payload: delivery.data,
    }
}

fn own_headers(table: &FieldTable) -> Headers {
    let own = table.into_iter().filter(|(name, _)| !name.as_str().starts_with("posthaste-"));
    let values = |value: &AMQPValue| match value {
        AMQPValue::LongString(text) => vec![text.to_string()],
        AMQPValue::FieldArray(several) => several.as_slice().iter().map(text).collect(),
        other => panic!("{other:?}"),
    };
    own.flat_map(|(name, value)| values(value).into_iter().map(move |value| (name.to_string(), value))).collect()
}

fn text(value: &AMQPValue) -> String {
    match value {
        AMQPValue::LongString(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}
