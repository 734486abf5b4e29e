//! The application's side: messages written in its own transaction.

use std::sync::LazyLock;

use async_trait::async_trait;
use tokio_postgres::types::{ToSql, Type};

use self::columns::Columns;
use super::{SCHEMA, connection};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

mod columns;
#[cfg(feature = "sqlx-postgres")]
pub(super) mod sqlx;

/// Writes messages in the caller's transaction: they are delivered if it commits, and never were if it does not. One round trip
/// for all of them. A message whose origin is stored already is left out quietly.
///
/// For a journal in the schema [`SCHEMA`]; [`Outbox`] writes to others.
pub async fn enqueue(connection: &impl Connection, messages: &[Message]) -> Result<Enqueued> {
    DEFAULT.enqueue(connection, messages).await
}

/// So that the statement is put together once.
pub(super) static DEFAULT: LazyLock<Outbox> = LazyLock::new(Outbox::default);

/// Where an application writes: the outbox of one schema. Cheap; make it once and keep it.
#[derive(Debug, Clone)]
pub struct Outbox {
    enqueue: String,
}

impl Default for Outbox {
    fn default() -> Self {
        Self::in_schema(SCHEMA)
    }
}

impl Outbox {
    pub fn in_schema(schema: &str) -> Self {
        Self { enqueue: connection::in_schema(include_str!("enqueue.sql"), schema) }
    }

    /// As [`enqueue`].
    pub async fn enqueue(&self, connection: &impl Connection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(self.write(connection, messages).await)
    }

    async fn write(&self, connection: &impl Connection, messages: &[Message]) -> Result<Enqueued> {
        if messages.is_empty() {
            return Ok(Enqueued::default());
        }
        let columns = Columns::of(messages)?;
        let stored = connection.run(&self.enqueue, &columns.typed()).await?;
        Ok(columns.enqueued(stored))
    }

    /// Waits until no other transaction that calls this holds one of these messages' keys, and holds them until the end of the
    /// caller's transaction. For applications that do not serialise their writes to one aggregate in another way: call it before
    /// reading what the change depends on.
    pub async fn lock_keys(&self, connection: &impl Connection, messages: &[Message]) -> Result<()> {
        let keys = columns::keys(messages);
        connection.run(include_str!("lock_keys.sql"), &[(&keys, Type::TEXT_ARRAY)]).await?;
        Ok(())
    }
}

/// A connection or transaction of an application: of `tokio-postgres` or `deadpool-postgres`.
#[async_trait]
pub trait Connection: private::Sealed + Sync {
    /// Runs a statement in one round trip and returns how many rows it touched.
    #[doc(hidden)]
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for tokio_postgres::Client {}
    impl Sealed for tokio_postgres::Transaction<'_> {}
    impl Sealed for deadpool_postgres::ClientWrapper {}
    impl Sealed for deadpool_postgres::Client {}
    impl Sealed for deadpool_postgres::Transaction<'_> {}
}

#[async_trait]
impl Connection for tokio_postgres::Client {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        Ok(self.execute_typed(sql, params).await?)
    }
}

#[async_trait]
impl Connection for tokio_postgres::Transaction<'_> {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        Ok(self.execute_typed(sql, params).await?)
    }
}

#[async_trait]
impl Connection for deadpool_postgres::ClientWrapper {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        let statement = self.prepare_cached(sql).await?;
        Ok(self.execute(&statement, &values(params)).await?)
    }
}

#[async_trait]
impl Connection for deadpool_postgres::Client {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        (**self).run(sql, params).await
    }
}

#[async_trait]
impl Connection for deadpool_postgres::Transaction<'_> {
    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) -> Result<u64> {
        let statement = self.prepare_cached(sql).await?;
        Ok(self.execute(&statement, &values(params)).await?)
    }
}

fn values<'a>(params: &[(&'a (dyn ToSql + Sync), Type)]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|(value, _)| *value).collect()
}
