//! PostgreSQL by tokio-postgres.

use tokio_postgres::types::Type;

use super::number;
use super::postgres::{EXPIRE, FORGET, PREPARE, RECEIVE, RECEIVE_IN_ORDER, in_schema, retention};
use crate::domain::connection::{Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::postgres::{Connection as Runs, Outbox};

impl Connection for tokio_postgres::Transaction<'_> {
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        Ok(self.batch_execute(&in_schema(PREPARE, schema)).await?)
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        receive(self, receipt).await
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        expire(self, receipt).await
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        forget(self, receipt).await
    }
}

impl HasOutbox for tokio_postgres::Transaction<'_> {
    type Outbox = Outbox;
}

impl Transaction for tokio_postgres::Transaction<'_> {
    type Connection = Self;

    fn connection(&mut self) -> &mut Self {
        self
    }

    async fn enqueue(&mut self, outbox: &Outbox, messages: &[Message]) -> Result<Enqueued> {
        outbox.enqueue(self, messages).await
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
    if connection.run(&in_schema(RECEIVE, receipt.schema), &mark, true).await? == 0 {
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
    Ok(connection.run(&in_schema(RECEIVE_IN_ORDER, receipt.schema), &newest, true).await? == 1)
}

pub(super) async fn expire(connection: &impl Runs, receipt: &Receipt<'_>) -> Result<()> {
    let expired = [(&receipt.consumer as _, Type::TEXT), (&retention(receipt) as _, Type::FLOAT8)];
    connection.run(&in_schema(EXPIRE, receipt.schema), &expired, true).await.map(drop)
}

pub(super) async fn forget(connection: &impl Runs, receipt: &Receipt<'_>) -> Result<()> {
    let message = receipt.message.to_string();
    let mark = [(&receipt.consumer as _, Type::TEXT), (&message as _, Type::TEXT)];
    connection.run(&in_schema(FORGET, receipt.schema), &mark, true).await.map(drop)
}
