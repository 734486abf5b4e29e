//! PostgreSQL by a pool of deadpool-postgres.

use deadpool_postgres::{Client, Pool};
use futures_util::FutureExt;

use super::postgres::{PREPARE, in_schema};
use super::tokio_postgres::{expire, forget, receive};
use crate::domain::connection::{Begin, Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::{Error, Kind, Result};
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::postgres::Outbox;

impl Connection for Client {
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

/// A transaction that keeps its connection to a pool of `deadpool-postgres`, where the driver's own ones borrow it.
#[derive(Debug)]
pub struct PooledTransaction {
    client: Client,
    open: bool,
}

impl Begin for Pool {
    type Transaction = PooledTransaction;

    async fn begin_transaction(&self) -> Result<PooledTransaction> {
        let unavailable = |error| Error::new(Kind::Unavailable, "the pool has no connection").caused_by(error);
        let client = self.get().await.map_err(unavailable)?;
        // Open before the server confirms it: a caller that stops waiting for the answer leaves no transaction behind.
        let transaction = PooledTransaction { client, open: true };
        transaction.client.batch_execute("BEGIN").await?;
        Ok(transaction)
    }
}

impl HasOutbox for PooledTransaction {
    type Outbox = Outbox;
}

impl Transaction for PooledTransaction {
    type Connection = Client;

    fn connection(&mut self) -> &mut Client {
        &mut self.client
    }

    async fn enqueue(&mut self, outbox: &Outbox, messages: &[Message]) -> Result<Enqueued> {
        outbox.enqueue(&self.client, messages).await
    }

    async fn commit(mut self) -> Result<()> {
        self.client.batch_execute("COMMIT").await?;
        self.open = false;
        Ok(())
    }

    async fn rollback(mut self) -> Result<()> {
        self.client.batch_execute("ROLLBACK").await?;
        self.open = false;
        Ok(())
    }
}

impl Drop for PooledTransaction {
    /// Sends the rollback and does not wait for the answer: what the connection is asked next comes after it.
    fn drop(&mut self) {
        if self.open {
            let _ = self.client.batch_execute("ROLLBACK").now_or_never();
        }
    }
}
