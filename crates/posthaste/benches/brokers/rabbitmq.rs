//! RabbitMQ: one durable queue behind the default exchange, on the server of the tests.

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use posthaste::Message;
use posthaste::sink::template::Template;
use posthaste::sinks::rabbitmq::{Rabbitmq, Settings};

use super::server::shared;
use super::{bare_rate, by_hand, relay_rate, runtime};

const QUEUE: &str = "posthaste-bench";

pub(super) fn rate(way: &str) -> f64 {
    let url = format!("amqp://guest:guest@{}", shared("rabbitmq"));
    runtime().block_on(prepare(&url));
    if way == "bare" {
        return by_hand(bare(&url));
    }
    let mut settings = Settings::at(url);
    settings.routing_key = Template::literal(QUEUE);
    relay_rate("rabbitmq", way, Rabbitmq::new(settings).expect("valid settings"))
}

async fn channel(url: &str) -> (Connection, Channel) {
    let connection = Connection::connect(url, ConnectionProperties::default()).await.expect("a connection");
    let channel = connection.create_channel().await.expect("a channel");
    (connection, channel)
}

/// An empty queue.
async fn prepare(url: &str) {
    let (_connection, channel) = channel(url).await;
    channel.queue_delete(QUEUE.into(), QueueDeleteOptions::default()).await.expect("no queue");
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(QUEUE.into(), durable, FieldTable::default()).await.expect("a queue");
}

async fn bare(url: &str) -> f64 {
    let (_connection, channel) = channel(url).await;
    channel.confirm_select(ConfirmSelectOptions::default()).await.expect("confirms");
    let send = move |message: Message| {
        let channel = channel.clone();
        async move {
            let id = message.id.to_string().into();
            let properties = BasicProperties::default().with_delivery_mode(2).with_message_id(id);
            let options = BasicPublishOptions { mandatory: true, immediate: false };
            let sent = channel.basic_publish("".into(), QUEUE.into(), options, &message.payload, properties).await;
            let confirmation = sent.expect("a connection").await.expect("a confirmation");
            assert!(confirmation.is_ack() && confirmation.take_message().is_none(), "taken");
        }
    };
    bare_rate(send).await
}
