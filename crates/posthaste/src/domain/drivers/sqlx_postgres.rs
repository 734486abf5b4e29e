//! PostgreSQL by sqlx.

use sqlx::postgres::{PgConnection, PgPool, Postgres};

use super::number;
use super::postgres::{self, retention};
use crate::domain::connection::{Begin, Connection, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::{Error, Kind, Result};
use crate::journal::Enqueued;
use crate::message::{Message, MessageId};
use crate::stores::postgres::enqueue_sqlx;

impl Connection for PgConnection {
    async fn enqueue(&mut self, messages: &[Message]) -> Result<Enqueued> {
        enqueue_sqlx(self, messages).await
    }

    async fn prepare_inbox(&mut self) -> Result<()> {
        sqlx::raw_sql(postgres::PREPARE).execute(self).await.map(drop).map_err(refused)
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        let mark = sqlx::query(postgres::RECEIVE).bind(receipt.consumer).bind(receipt.message.to_string());
        if mark.execute(&mut *self).await.map_err(refused)?.rows_affected() == 0 {
            return Ok(false);
        }
        let Some((key, position)) = receipt.order else { return Ok(true) };
        let newest = sqlx::query(postgres::RECEIVE_IN_ORDER)
            .bind(receipt.consumer)
            .bind(key.tenant.as_deref().unwrap_or_default())
            .bind(key.key.as_str())
            .bind(number(position.tick))
            .bind(number(position.seq));
        Ok(newest.execute(self).await.map_err(refused)?.rows_affected() == 1)
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let expired = sqlx::query(postgres::EXPIRE).bind(receipt.consumer).bind(retention(receipt));
        expired.execute(self).await.map(drop).map_err(refused)
    }

    async fn forget(&mut self, consumer: &str, message: MessageId) -> Result<()> {
        sqlx::query(postgres::FORGET)
            .bind(consumer)
            .bind(message.to_string())
            .execute(self)
            .await
            .map(drop)
            .map_err(refused)
    }
}

impl Transaction for sqlx::Transaction<'_, Postgres> {
    type Connection = PgConnection;

    fn connection(&mut self) -> &mut PgConnection {
        self
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
    let kind = match &error {
        sqlx::Error::Database(_) => Kind::Invalid,
        _ => Kind::Unavailable,
    };
    Error::new(kind, "the database did not do it").caused_by(error)
}
