//! MySQL and MariaDB by sqlx.

use sqlx::mysql::{MySql, MySqlConnection, MySqlPool};
use sqlx::{AssertSqlSafe, Row};

use super::mysql::{
    EXPIRE, FORGET, PREPARE, RECEIVE, RECEIVE_FIRST, RECEIVE_IN_ORDER, SEEN, in_database, retention, undone,
};
use super::number;
use crate::domain::connection::{Begin, Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::Result;
use crate::journal::{Enqueued, Position};
use crate::message::{Message, OrderKey};
use crate::stores::mysql::{Outbox, sqlx_error as refused};

impl Connection for MySqlConnection {
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        for sql in PREPARE {
            sqlx::raw_sql(resolved(sql, schema)).execute(&mut *self).await.map_err(refused)?;
        }
        Ok(())
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        let mark = sqlx::query(resolved(RECEIVE, receipt.schema));
        let mark = mark.bind(receipt.consumer).bind(receipt.message.to_string());
        if mark.execute(&mut *self).await.map_err(refused)?.rows_affected() == 0 {
            return Ok(false);
        }
        match receipt.order {
            Some((key, position)) => is_newest(self, receipt, key, position).await,
            None => Ok(true),
        }
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let seen = sqlx::query(resolved(SEEN, receipt.schema));
        let seen = seen.bind(receipt.consumer).bind(receipt.message.to_string());
        let row = seen.fetch_one(&mut *self).await.map_err(refused)?;
        if row.try_get::<i64, _>(0).map_err(refused)? != 1 {
            return Err(undone());
        }
        let expired = sqlx::query(resolved(EXPIRE, receipt.schema)).bind(receipt.consumer).bind(retention(receipt));
        expired.execute(self).await.map(drop).map_err(refused)
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let forget = sqlx::query(resolved(FORGET, receipt.schema));
        let forget = forget.bind(receipt.consumer).bind(receipt.message.to_string());
        forget.execute(self).await.map(drop).map_err(refused)
    }
}

/// Moves a key's newest position forwards, if this one is beyond it.
async fn is_newest(
    connection: &mut MySqlConnection,
    receipt: &Receipt<'_>,
    key: &OrderKey,
    position: Position,
) -> Result<bool> {
    let tenant = key.tenant.as_deref().unwrap_or_default();
    let (tick, seq) = (number(position.tick), number(position.seq));
    let first = sqlx::query(resolved(RECEIVE_FIRST, receipt.schema));
    let first = first.bind(receipt.consumer).bind(tenant).bind(key.key.as_str()).bind(tick).bind(seq);
    if first.execute(&mut *connection).await.map_err(refused)?.rows_affected() == 1 {
        return Ok(true);
    }
    let newest = sqlx::query(resolved(RECEIVE_IN_ORDER, receipt.schema)).bind(tick).bind(seq).bind(receipt.consumer);
    let newest = newest.bind(tenant).bind(key.key.as_str()).bind(tick).bind(tick).bind(seq);
    Ok(newest.execute(connection).await.map_err(refused)?.rows_affected() == 1)
}

impl HasOutbox for sqlx::Transaction<'_, MySql> {
    type Outbox = Outbox;
}

impl Transaction for sqlx::Transaction<'_, MySql> {
    type Connection = MySqlConnection;

    fn connection(&mut self) -> &mut MySqlConnection {
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

impl Begin for MySqlPool {
    type Transaction = sqlx::Transaction<'static, MySql>;

    async fn begin_transaction(&self) -> Result<Self::Transaction> {
        self.begin().await.map_err(refused)
    }
}

/// A statement of ours, in a database whose name is quoted.
fn resolved(sql: &str, database: Option<&str>) -> AssertSqlSafe<String> {
    AssertSqlSafe(in_database(sql, database))
}
