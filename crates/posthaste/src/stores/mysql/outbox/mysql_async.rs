//! Writing with mysql_async.

use ::mysql_async::prelude::Queryable;
use ::mysql_async::{Error as Refused, Params, Value};

use super::{Columns, DUPLICATE, Outbox, locking, may_be_known, portions, statement};
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
        if insert(connection, portion).await? {
            enqueued.stored += portion.len();
            continue;
        }
        // One of them at least is stored already, and nobody says which.
        for message in portion {
            match insert(connection, std::slice::from_ref(message)).await? {
                true => enqueued.stored += 1,
                false => enqueued.duplicates += 1,
            }
        }
    }
    Ok(enqueued)
}

/// Whether they were stored; `false` if one of them was stored already, which counts only of messages with an origin.
async fn insert(connection: &mut impl Queryable, messages: &[Message]) -> Result<bool> {
    let mut params = Vec::with_capacity(messages.len() * super::COLUMNS);
    for message in messages {
        bind(&mut params, Columns::of(message)?);
    }
    match connection.exec_drop(statement(messages.len()), Params::Positional(params)).await {
        Ok(()) => Ok(true),
        Err(Refused::Server(refused)) if refused.code == DUPLICATE && may_be_known(messages) => Ok(false),
        Err(error) => Err(error.into()),
    }
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
