//! Writing with sqlx.

use ::sqlx::{AssertSqlSafe, PgConnection};

use super::Outbox;
use super::columns::Columns;
use crate::error::{Error, Kind, Result};
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

/// As [`enqueue`](super::enqueue), in a transaction of sqlx: `enqueue_sqlx(&mut *transaction, &messages)`.
pub async fn enqueue(connection: &mut PgConnection, messages: &[Message]) -> Result<Enqueued> {
    super::DEFAULT.enqueue_sqlx(connection, messages).await
}

impl Outbox {
    /// As [`Outbox::enqueue`], in a transaction of sqlx.
    pub async fn enqueue_sqlx(&self, connection: &mut PgConnection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(self.write_sqlx(connection, messages).await)
    }

    async fn write_sqlx(&self, connection: &mut PgConnection, messages: &[Message]) -> Result<Enqueued> {
        if messages.is_empty() {
            return Ok(Enqueued::default());
        }
        let columns = Columns::of(messages)?;
        let query = ::sqlx::query(AssertSqlSafe(self.enqueue.clone()))
            .bind(&columns.id)
            .bind(&columns.event_type)
            .bind(&columns.aggregate_type)
            .bind(&columns.aggregate_id)
            .bind(&columns.key)
            .bind(&columns.tenant)
            .bind(&columns.user_id)
            .bind(&columns.correlation_id)
            .bind(&columns.content_type)
            .bind(&columns.occurred_at)
            .bind(&columns.due_at)
            .bind(&columns.destination)
            .bind(&columns.max_attempts)
            .bind(&columns.source_stream)
            .bind(&columns.source_event)
            .bind(&columns.headers)
            .bind(&columns.payload);
        let done = query.execute(connection).await.map_err(refused)?;
        Ok(columns.enqueued(done.rows_affected()))
    }
}

fn refused(error: ::sqlx::Error) -> Error {
    let kind = match &error {
        ::sqlx::Error::Database(_) => Kind::Invalid,
        _ => Kind::Unavailable,
    };
    Error::new(kind, "the messages could not be written").caused_by(error)
}
