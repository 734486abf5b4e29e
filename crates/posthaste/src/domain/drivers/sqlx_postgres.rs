//! PostgreSQL by sqlx.

use sqlx::AssertSqlSafe;
use sqlx::postgres::{PgConnection, PgPool, Postgres};

use super::number;
use super::postgres::{self, retention};
use crate::domain::connection::{Begin, Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::{Error, Result};
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::postgres::{self as store, Outbox};

impl Connection for PgConnection {
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        sqlx::raw_sql(in_schema(postgres::PREPARE, schema)).execute(self).await.map(drop).map_err(refused)
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        let mark = sqlx::query(in_schema(postgres::RECEIVE, receipt.schema))
            .bind(receipt.consumer)
            .bind(receipt.message.to_string());
        if mark.execute(&mut *self).await.map_err(refused)?.rows_affected() == 0 {
            return Ok(false);
        }
        let Some((key, position)) = receipt.order else { return Ok(true) };
        let newest = sqlx::query(in_schema(postgres::RECEIVE_IN_ORDER, receipt.schema))
            .bind(receipt.consumer)
            .bind(key.tenant.as_deref().unwrap_or_default())
            .bind(key.key.as_str())
            .bind(number(position.tick))
            .bind(number(position.seq));
        Ok(newest.execute(self).await.map_err(refused)?.rows_affected() == 1)
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let expired =
            sqlx::query(in_schema(postgres::EXPIRE, receipt.schema)).bind(receipt.consumer).bind(retention(receipt));
        expired.execute(self).await.map(drop).map_err(refused)
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let forget = sqlx::query(in_schema(postgres::FORGET, receipt.schema));
        let forget = forget.bind(receipt.consumer).bind(receipt.message.to_string());
        forget.execute(self).await.map(drop).map_err(refused)
    }
}

impl HasOutbox for sqlx::Transaction<'_, Postgres> {
    type Outbox = Outbox;
}

impl Transaction for sqlx::Transaction<'_, Postgres> {
    type Connection = PgConnection;

    fn connection(&mut self) -> &mut PgConnection {
        self
    }

    async fn enqueue(&mut self, outbox: &Outbox, messages: &[Message]) -> Result<Enqueued> {
        outbox.enqueue_sqlx(self, messages).await
    }

    async fn commit(self) -> Result<()> {
        sqlx::Transaction::commit(self).await.map_err(refused)
    }

    async fn rollback(self) -> Result<()> {
        sqlx::Transaction::rollback(self).await.map_err(refused)
    }
}

impl Begin for PgPool {
    type Transaction = sqlx::Transaction<'static, Postgres>;

    async fn begin_transaction(&self) -> Result<Self::Transaction> {
        self.begin().await.map_err(refused)
    }
}

fn refused(error: sqlx::Error) -> Error {
    store::refused(error, "the database did not do it")
}

/// A statement of ours, in a schema whose name is quoted.
fn in_schema(sql: &str, schema: Option<&str>) -> AssertSqlSafe<String> {
    AssertSqlSafe(postgres::in_schema(sql, schema))
}
