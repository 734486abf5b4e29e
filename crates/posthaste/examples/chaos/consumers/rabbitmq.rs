//! Consumes a durable queue, which it declares, and acknowledges what it has recorded.

use futures_util::StreamExt;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Connection, ConnectionProperties};

use super::PAUSE;
use crate::record::{Done, Record};
use crate::{Failure, ready};

pub(super) async fn consume(url: &str, queue: &str, record: &'static Record) -> Result<(), Failure> {
    let mut begun = false;
    loop {
        if let Err(error) = consume_on(url, queue, record, &mut begun).await {
            eprintln!("{error}");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn consume_on(url: &str, queue: &str, record: &Record, begun: &mut bool) -> Result<(), Failure> {
    let connection = Connection::connect(url, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel.queue_declare(queue.into(), durable, FieldTable::default()).await?;
    channel.basic_qos(1_000, BasicQosOptions::default()).await?;
    let options = BasicConsumeOptions::default();
    let mut deliveries = channel.basic_consume(queue.into(), "".into(), options, FieldTable::default()).await?;
    if !std::mem::replace(begun, true) {
        ready(None);
    }
    while let Some(delivery) = deliveries.next().await {
        let delivery = delivery?;
        let id = delivery.properties.message_id().as_ref().map(ToString::to_string).unwrap_or_default();
        // A broker repeats by itself what was not acknowledged when a connection ended.
        let relay = if delivery.redelivered { "redelivered" } else { "" };
        record.note(relay, &id, &delivery.data, Done::Taken);
        delivery.ack(BasicAckOptions::default()).await?;
    }
    Ok(())
}
