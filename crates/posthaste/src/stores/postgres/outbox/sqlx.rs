//! Writing with sqlx.

use std::sync::Arc;

use sqlx::{AssertSqlSafe, PgConnection};

use super::columns::{self, Columns};
use super::{LOCK_KEYS, Outbox};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::postgres::error::refused;
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in a transaction of sqlx: `outbox.enqueue_sqlx(&mut *transaction, &messages)`.
    pub async fn enqueue_sqlx(&self, connection: &mut PgConnection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(self.write_sqlx(connection, messages).await)
    }

    async fn write_sqlx(&self, connection: &mut PgConnection, messages: &[Message]) -> Result<Enqueued> {
        if messages.is_empty() {
            return Ok(Enqueued::default());
        }
        let columns = Columns::of(messages)?;
        let query = sqlx::query(AssertSqlSafe(Arc::clone(&self.enqueue)))
            .persistent(self.keeps_statements)
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
        let done =
            query.execute(connection).await.map_err(|error| refused(error, "the messages could not be written"))?;
        Ok(columns.enqueued(done.rows_affected()))
    }

    /// As [`Outbox::lock_keys`], in a transaction of sqlx: waits until no other transaction that calls either holds one of these
    /// messages' keys, and holds them until the end of the caller's transaction.
    pub async fn lock_keys_sqlx(&self, connection: &mut PgConnection, messages: &[Message]) -> Result<()> {
        let lock = sqlx::query(LOCK_KEYS).persistent(self.keeps_statements).bind(columns::keys(messages));
        lock.execute(connection).await.map(drop).map_err(|error| refused(error, "the keys could not be locked"))
    }
}
