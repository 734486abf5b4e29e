//! Exchanges and queues: made if the settings ask for it, looked for otherwise.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, ExchangeKind};

use super::connection::OpenConnection;
use super::settings::{Declare, Exchange, Queue};
use super::verdict;
use crate::sink::Error;

/// Makes what is not there. What is there and different stays as it is, and is an error.
pub(super) async fn declare(open: &OpenConnection, declare: &Declare) -> Result<(), Error> {
    if declare.is_empty() {
        return Ok(());
    }
    // Of its own, because a declaration that fails closes it.
    let channel =
        open.connection.create_channel().await.map_err(|error| verdict::of_connection(&open.address, &error))?;
    for exchange in &declare.exchanges {
        let declared = declare_exchange(&channel, exchange).await;
        declared.map_err(|error| undeclared("exchange", &exchange.name, &error))?;
    }
    for queue in &declare.queues {
        let declared = declare_queue(&channel, queue).await;
        declared.map_err(|error| undeclared("queue", &queue.name, &error))?;
    }
    Ok(())
}

async fn declare_exchange(channel: &Channel, exchange: &Exchange) -> lapin::Result<()> {
    let options = ExchangeDeclareOptions { durable: exchange.durable, ..Default::default() };
    let kind = match exchange.kind.as_str() {
        "direct" => ExchangeKind::Direct,
        "fanout" => ExchangeKind::Fanout,
        "headers" => ExchangeKind::Headers,
        "topic" => ExchangeKind::Topic,
        other => ExchangeKind::Custom(other.to_owned()),
    };
    channel.exchange_declare(short(&exchange.name), kind, options, FieldTable::default()).await
}

async fn declare_queue(channel: &Channel, queue: &Queue) -> lapin::Result<()> {
    let options = QueueDeclareOptions { durable: queue.durable, ..Default::default() };
    let mut arguments = FieldTable::default();
    if let Some(kind) = &queue.kind {
        arguments.insert("x-queue-type".into(), AMQPValue::LongString(kind.as_str().into()));
    }
    channel.queue_declare(short(&queue.name), options, arguments).await?;
    for binding in &queue.bindings {
        let (exchange, key) = (short(&binding.exchange), short(&binding.routing_key));
        let options = QueueBindOptions::default();
        channel.queue_bind(short(&queue.name), exchange, key, options, FieldTable::default()).await?;
    }
    Ok(())
}

/// Whether an exchange is there.
pub(super) async fn find_exchange(open: &OpenConnection, exchange: &str) -> Result<(), Error> {
    let find = async {
        let channel = open.connection.create_channel().await?;
        let options = ExchangeDeclareOptions { passive: true, ..Default::default() };
        channel.exchange_declare(short(exchange), ExchangeKind::Topic, options, FieldTable::default()).await
    };
    find.await.map_err(|error: lapin::Error| match verdict::soft(&error) {
        Some(_) => Error::unreachable(format_args!("exchange {exchange:?}: {error}")),
        None => verdict::of_connection(&open.address, &error),
    })
}

fn undeclared(what: &str, name: &str, error: &lapin::Error) -> Error {
    Error::unreachable(format_args!("cannot declare {what} {name:?}: {error}"))
}

/// The settings were checked, so nothing is cut here.
fn short(name: &str) -> ShortString {
    ShortString::try_new(name).unwrap_or_default()
}
