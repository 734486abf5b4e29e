//! Writing with mysql_async.

use ::mysql_async::prelude::Queryable;
use ::mysql_async::{Params, Value};

use super::{Columns, Outbox, counting, locking, portions, statement};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in the caller's transaction, with a connection or a transaction of mysql_async.
    pub async fn enqueue(&self, connection: &mut impl Queryable, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(write(connection, messages).await)
    }

    /// Waits until no other transaction that calls this holds one of these messages' keys, and holds them until the end of the
    /// caller's transaction. For applications that do not serialise their writes to one aggregate in another way: call it before
    /// reading what the change depends on.
    pub async fn lock_keys(&self, connection: &mut impl Queryable, messages: &[Message]) -> Result<()> {
        match locking(messages) {
            Some(sql) => Ok(connection.query_drop(sql).await?),
            None => Ok(()),
        }
    }
}

async fn write(connection: &mut impl Queryable, messages: &[Message]) -> Result<Enqueued> {
    let mut enqueued = Enqueued::default();
    for portion in portions(messages) {
        let stored = if portion.iter().any(|message| message.origin.is_some()) {
            let before = count(connection, portion).await?;
            insert(connection, portion, true).await?;
            count(connection, portion).await?.saturating_sub(before)
        } else {
            insert(connection, portion, false).await?;
            portion.len()
        };
        enqueued.stored += stored;
        enqueued.duplicates += portion.len() - stored;
    }
    Ok(enqueued)
}

async fn insert(connection: &mut impl Queryable, messages: &[Message], may_be_known: bool) -> Result<()> {
    let mut params = Vec::with_capacity(messages.len() * super::COLUMNS);
    for message in messages {
        bind(&mut params, Columns::of(message)?);
    }
    Ok(connection.exec_drop(statement(messages.len(), may_be_known), Params::Positional(params)).await?)
}

async fn count(connection: &mut impl Queryable, messages: &[Message]) -> Result<usize> {
    Ok(connection.query_first(counting(messages)).await?.unwrap_or_default())
}

/// In the order of the columns in `sql/enqueue.sql`.
fn bind(params: &mut Vec<Value>, columns: Columns<'_>) {
    params.push(columns.id.into());
    params.extend(columns.texts.map(Value::from));
    params.extend([columns.occurred_at.into(), columns.due_at.into(), columns.destination.into()]);
    params.push(columns.max_attempts.into());
    params.extend(columns.origin.map(Value::from));
    params.extend([columns.headers.into(), columns.payload.into()]);
}
