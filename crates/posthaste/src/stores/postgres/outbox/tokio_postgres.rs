//! Writing with tokio-postgres.

use async_trait::async_trait;
use tokio_postgres::types::{ToSql, Type};

use super::columns::{self, Columns};
use super::{LOCK_KEYS, Outbox};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in the caller's transaction, with a client or a transaction of tokio-postgres or deadpool-postgres.
    pub async fn enqueue(&self, connection: &impl Connection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(self.write(connection, messages).await)
    }

    async fn write(&self, connection: &impl Connection, messages: &[Message]) -> Result<Enqueued> {
        if messages.is_empty() {
            return Ok(Enqueued::default());
        }
        let columns = Columns::of(messages)?;
        let stored = connection.run(&self.enqueue, &typed(&columns), self.keeps_statements).await?;
        Ok(columns.enqueued(stored))
    }

    /// Waits until no other transaction that calls this holds one of these messages' keys, and holds them until the end of the
    /// caller's transaction. For applications that do not serialise their writes to one aggregate in another way: call it before
    /// reading what the change depends on.
    pub async fn lock_keys(&self, connection: &impl Connection, messages: &[Message]) -> Result<()> {
        let keys = columns::keys(messages);
        connection.run(LOCK_KEYS, &[(&keys, Type::TEXT_ARRAY)], self.keeps_statements).await?;
        Ok(())
    }
}

/// The parameters of `sql/enqueue.sql`, in order.
fn typed<'a>(columns: &'a Columns<'_>) -> [(&'a (dyn ToSql + Sync), Type); 17] {
    [
        (&columns.id, Type::TEXT_ARRAY),
        (&columns.event_type, Type::TEXT_ARRAY),
        (&columns.aggregate_type, Type::TEXT_ARRAY),
        (&columns.aggregate_id, Type::TEXT_ARRAY),
        (&columns.key, Type::TEXT_ARRAY),
        (&columns.tenant, Type::TEXT_ARRAY),
        (&columns.user_id, Type::TEXT_ARRAY),
        (&columns.correlation_id, Type::TEXT_ARRAY),
        (&columns.content_type, Type::TEXT_ARRAY),
        (&columns.occurred_at, Type::INT8_ARRAY),
        (&columns.due_at, Type::INT8_ARRAY),
        (&columns.destination, Type::TEXT_ARRAY),
        (&columns.max_attempts, Type::INT4_ARRAY),
        (&columns.source_stream, Type::TEXT_ARRAY),
        (&columns.source_event, Type::TEXT_ARRAY),
        (&columns.headers, Type::TEXT_ARRAY),
        (&columns.payload, Type::BYTEA_ARRAY),
    ]
}

/// A connection or transaction of an application: of `tokio-postgres` or, with feature `postgres`, of `deadpool-postgres`.
#[async_trait]
pub trait Connection: private::Sealed + Sync {
    /// Runs a statement in one round trip and returns how many rows it touched. With `keep` it may be kept by name for the next time.
    #[doc(hidden)]
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], keep: bool) -> Result<u64>;
}

pub(super) mod private {
    /// Nobody else implements [`Connection`](super::Connection): its method may change.
    pub trait Sealed {}
    impl Sealed for tokio_postgres::Client {}
    impl Sealed for tokio_postgres::Transaction<'_> {}
}

#[async_trait]
impl Connection for tokio_postgres::Client {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], _: bool) -> Result<u64> {
        Ok(self.execute_typed(sql, params).await?)
    }
}

#[async_trait]
impl Connection for tokio_postgres::Transaction<'_> {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)], _: bool) -> Result<u64> {
        Ok(self.execute_typed(sql, params).await?)
    }
}
