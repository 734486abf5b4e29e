//! Writing with sqlx.

use ::sqlx::SqliteConnection;

use super::{Outbox, partition, statement};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::headers;
use crate::stores::sqlite::{error, partitions};
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in the caller's transaction: `outbox.enqueue_sqlx(&mut *transaction, &messages)`.
    pub async fn enqueue_sqlx(&self, connection: &mut SqliteConnection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(write(connection, messages).await)
    }
}

async fn write(connection: &mut SqliteConnection, messages: &[Message]) -> Result<Enqueued> {
    let partitions = partitions::count_sqlx(connection).await?;
    let mut enqueued = Enqueued::default();
    for message in messages {
        match insert(connection, message, partitions).await? {
            0 => enqueued.duplicates += 1,
            _ => enqueued.stored += 1,
        }
    }
    Ok(enqueued)
}

/// In the order of the columns in `sql/message_columns.sql`, without the first.
async fn insert(connection: &mut SqliteConnection, message: &Message, partitions: u16) -> Result<u64> {
    let origin = message.origin.as_ref();
    let query = ::sqlx::query(statement())
        .bind(partition(message, partitions))
        .bind(message.id.to_string())
        .bind(message.event_type.as_str())
        .bind(message.aggregate_type.as_str())
        .bind(message.aggregate_id.as_str())
        .bind(message.key.as_deref())
        .bind(message.tenant.as_deref())
        .bind(message.user.as_deref())
        .bind(message.correlation_id.as_deref())
        .bind(message.content_type.as_str())
        .bind(message.occurred_at.as_millisecond())
        .bind(message.due_at.map(|at| at.as_millisecond()))
        .bind(message.destination.as_deref())
        .bind(message.max_attempts)
        .bind(origin.map(|origin| origin.stream.as_str()))
        .bind(origin.map(|origin| origin.event.as_str()))
        .bind(headers::encode(&message.headers)?)
        .bind(&*message.payload);
    Ok(query.execute(connection).await.map_err(error::sqlx)?.rows_affected())
}
