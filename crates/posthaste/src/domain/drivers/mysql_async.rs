//! MySQL and MariaDB by mysql_async.

use ::mysql_async::prelude::Queryable;
use ::mysql_async::{Params, Pool, Transaction as OwnTransaction, TxOpts};

use super::mysql::{
    EXPIRE, FORGET, PREPARE, RECEIVE, RECEIVE_FIRST, RECEIVE_IN_ORDER, SEEN, in_database, retention, undone,
};
use super::number;
use crate::domain::connection::{Begin, Connection, HasOutbox, Transaction};
use crate::domain::inbox::Receipt;
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::mysql::Outbox;

impl Connection for OwnTransaction<'_> {
    async fn prepare_inbox(&mut self, schema: Option<&str>) -> Result<()> {
        for sql in PREPARE {
            self.query_drop(in_database(sql, schema)).await?;
        }
        Ok(())
    }

    async fn receive(&mut self, receipt: &Receipt<'_>) -> Result<bool> {
        let mark = (receipt.consumer, receipt.message.to_string());
        if run(self, RECEIVE, receipt, mark).await? == 0 {
            return Ok(false);
        }
        let Some((key, position)) = receipt.order else { return Ok(true) };
        let scope = (key.tenant.as_deref().unwrap_or_default(), key.key.as_str());
        let (tick, seq) = (number(position.tick), number(position.seq));
        let first = (receipt.consumer, scope.0, scope.1, tick, seq);
        if run(self, RECEIVE_FIRST, receipt, first).await? == 1 {
            return Ok(true);
        }
        let newest = (tick, seq, receipt.consumer, scope.0, scope.1, tick, tick, seq);
        Ok(run(self, RECEIVE_IN_ORDER, receipt, newest).await? == 1)
    }

    async fn expire(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        let mark = (receipt.consumer, receipt.message.to_string());
        let seen: Option<i64> = self.exec_first(in_database(SEEN, receipt.schema), mark).await?;
        if seen != Some(1) {
            return Err(undone());
        }
        run(self, EXPIRE, receipt, (receipt.consumer, retention(receipt))).await.map(drop)
    }

    async fn forget(&mut self, receipt: &Receipt<'_>) -> Result<()> {
        run(self, FORGET, receipt, (receipt.consumer, receipt.message.to_string())).await.map(drop)
    }
}

/// Runs a statement and returns how many rows it touched.
async fn run(
    connection: &mut OwnTransaction<'_>,
    sql: &str,
    receipt: &Receipt<'_>,
    params: impl Into<Params> + Send,
) -> Result<u64> {
    let done = connection.exec_iter(in_database(sql, receipt.schema), params.into()).await?;
    let rows = done.affected_rows();
    done.drop_result().await?;
    Ok(rows)
}

impl HasOutbox for OwnTransaction<'_> {
    type Outbox = Outbox;
}

impl Transaction for OwnTransaction<'_> {
    type Connection = Self;

    fn connection(&mut self) -> &mut Self {
        self
    }

    async fn enqueue(&mut self, outbox: &Outbox, messages: &[Message]) -> Result<Enqueued> {
        outbox.enqueue(self, messages).await
    }

    async fn commit(self) -> Result<()> {
        Ok(OwnTransaction::commit(self).await?)
    }

    async fn rollback(self) -> Result<()> {
        Ok(OwnTransaction::rollback(self).await?)
    }
}

impl Begin for Pool {
    type Transaction = OwnTransaction<'static>;

    async fn begin_transaction(&self) -> Result<Self::Transaction> {
        Ok(self.start_transaction(TxOpts::default()).await?)
    }
}
