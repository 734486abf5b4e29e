//! SQLite by sqlx.

use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{AssertSqlSafe, SqlitePool};

use super::number;
use super::sqlite::{self, tenant};
use crate::domain::connection::{Begin, Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::sqlite::{Outbox, sqlx_error};

impl Connection for SqliteConnection {
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        sqlx::raw_sql(in_schema(sqlite::PREPARE, schema)).execute(self).await.map(drop).map_err(sqlx_error)
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        let mark = sqlx::query(in_schema(sqlite::RECEIVE, receipt.schema))
            .bind(receipt.consumer)
            .bind(receipt.message.to_string());
        let mark = mark.bind(sqlite::now());
        if mark.execute(&mut *self).await.map_err(sqlx_error)?.rows_affected() == 0 {
            return Ok(false);
        }
        let Some((key, position)) = receipt.order else { return Ok(true) };
        let newest = sqlx::query(in_schema(sqlite::RECEIVE_IN_ORDER, receipt.schema))
            .bind(receipt.consumer)
            .bind(tenant(key))
            .bind(key.key.as_str())
            .bind(number(position.tick))
            .bind(number(position.seq));
        Ok(newest.execute(self).await.map_err(sqlx_error)?.rows_affected() == 1)
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let expired =
            sqlx::query(in_schema(sqlite::EXPIRE, receipt.schema)).bind(receipt.consumer).bind(sqlite::expiry(receipt));
        expired.execute(self).await.map(drop).map_err(sqlx_error)
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let forget = sqlx::query(in_schema(sqlite::FORGET, receipt.schema));
        let forget = forget.bind(receipt.consumer).bind(receipt.message.to_string());
        forget.execute(self).await.map(drop).map_err(sqlx_error)
    }
}

impl HasOutbox for sqlx::Transaction<'_, Sqlite> {
    type Outbox = Outbox;
}

impl Transaction for sqlx::Transaction<'_, Sqlite> {
    type Connection = SqliteConnection;

    fn connection(&mut self) -> &mut SqliteConnection {
        self
    }

    async fn enqueue(&mut self, outbox: &Outbox, messages: &[Message]) -> Result<Enqueued> {
        outbox.enqueue_sqlx(self, messages).await
    }

    async fn commit(self) -> Result<()> {
        sqlx::Transaction::commit(self).await.map_err(sqlx_error)
    }

    async fn rollback(self) -> Result<()> {
        sqlx::Transaction::rollback(self).await.map_err(sqlx_error)
    }
}

/// Transactions that take the lock first, so that none has to give up half-way.
impl Begin for SqlitePool {
    type Transaction = sqlx::Transaction<'static, Sqlite>;

    async fn begin_transaction(&self) -> Result<Self::Transaction> {
        self.begin_with("BEGIN IMMEDIATE").await.map_err(sqlx_error)
    }
}

/// A statement of ours, in a schema whose name is quoted.
fn in_schema(sql: &str, schema: Option<&str>) -> AssertSqlSafe<String> {
    AssertSqlSafe(sqlite::in_schema(sql, schema))
}
