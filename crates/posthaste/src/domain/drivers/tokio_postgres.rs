//! PostgreSQL by tokio-postgres, and the statements for all drivers of it.

use tokio_postgres::types::Type;

use super::number;
use crate::domain::connection::{Connection, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::{Message, MessageId};
use crate::stores::postgres::{Connection as Runs, enqueue};

pub(super) const PREPARE: &str = include_str!("postgres/prepare.sql");
pub(super) const RECEIVE: &str = include_str!("postgres/receive.sql");
pub(super) const RECEIVE_IN_ORDER: &str = include_str!("postgres/receive_in_order.sql");
pub(super) const EXPIRE: &str = include_str!("postgres/expire.sql");
pub(super) const FORGET: &str = include_str!("postgres/forget.sql");

/// The retention in milliseconds, as the statement multiplies it.
pub(super) fn retention(receipt: &Receipt<'_>) -> f64 {
    receipt.retention.as_secs_f64() * 1_000.0
}

impl Connection for tokio_postgres::Transaction<'_> {
    async fn enqueue(&mut self, messages: &[Message]) -> Result<Enqueued> {
        enqueue(self, messages).await
    }

    async fn prepare_inbox(&mut self) -> Result<()> {
        Ok(self.batch_execute(PREPARE).await?)
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        receive(self, receipt).await
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        expire(self, receipt).await
    }

    async fn forget(&mut self, consumer: &str, message: MessageId) -> Result<()> {
        forget(self, consumer, message).await
    }
}

impl Transaction for tokio_postgres::Transaction<'_> {
    type Connection = Self;

    fn connection(&mut self) -> &mut Self {
        self
    }

    async fn commit(self) -> Result<()> {
        Ok(tokio_postgres::Transaction::commit(self).await?)
    }

    async fn rollback(self) -> Result<()> {
        Ok(tokio_postgres::Transaction::rollback(self).await?)
    }
}

pub(super) async fn receive(connection: &impl Runs, receipt: &Receipt<'_>) -> Result<bool> {
    let message = receipt.message.to_string();
    let mark = [(&receipt.consumer as _, Type::TEXT), (&message as _, Type::TEXT)];
    if connection.run(RECEIVE, &mark).await? == 0 {
        return Ok(false);
    }
    let Some((key, position)) = receipt.order else { return Ok(true) };
    let newest = [
        (&receipt.consumer as _, Type::TEXT),
        (&key.tenant.as_deref().unwrap_or_default() as _, Type::TEXT),
        (&key.key.as_str() as _, Type::TEXT),
        (&number(position.tick) as _, Type::INT8),
        (&number(position.seq) as _, Type::INT8),
    ];
    Ok(connection.run(RECEIVE_IN_ORDER, &newest).await? == 1)
}

pub(super) async fn expire(connection: &impl Runs, receipt: &Receipt<'_>) -> Result<()> {
    let expired = [(&receipt.consumer as _, Type::TEXT), (&retention(receipt) as _, Type::FLOAT8)];
    connection.run(EXPIRE, &expired).await.map(drop)
}

pub(super) async fn forget(connection: &impl Runs, consumer: &str, message: MessageId) -> Result<()> {
    let message = message.to_string();
    connection.run(FORGET, &[(&consumer as _, Type::TEXT), (&message as _, Type::TEXT)]).await.map(drop)
}
