//! Writing with mysql_async.

use ::mysql_async::prelude::Queryable;
use ::mysql_async::{Error as Refused, Params, Value};

use super::{Bound, Columns, DUPLICATE, Outbox, locking, may_be_known, named, portions, statement};
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
    let rows = messages.iter().map(Columns::of).collect::<Result<Vec<_>>>()?;
    let columns = named(&rows);
    let values = rows.iter().flat_map(|Columns(values)| columns.iter().map(|column| bound(&values[*column])));
    let params = Params::Positional(values.collect());
    match connection.exec_drop(statement(&columns, messages.len()), params).await {
        Ok(()) => Ok(true),
        Err(Refused::Server(refused)) if refused.code == DUPLICATE && may_be_known(messages) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn bound(value: &Bound<'_>) -> Value {
    match value {
        Bound::Nothing => Value::NULL,
        Bound::Text(text) => (*text).into(),
        Bound::Made(text) => text.into(),
        Bound::Number(number) => (*number).into(),
        Bound::Bytes(bytes) => (*bytes).into(),
    }
}
