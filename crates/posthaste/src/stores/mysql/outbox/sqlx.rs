//! Writing with sqlx.

use ::sqlx::mysql::MySqlArguments;
use ::sqlx::{Arguments, AssertSqlSafe, Executor, MySqlConnection, Row};

use super::{Columns, Outbox, counting, locking, portions, statement};
use crate::error::{Error, Kind, Result};
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::mysql::error;
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in a transaction of sqlx: `outbox.enqueue_sqlx(&mut *transaction, &messages)`.
    pub async fn enqueue_sqlx(&self, connection: &mut MySqlConnection, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(write(connection, messages).await)
    }

    /// Locks the keys of messages in a transaction of sqlx: waits until no other transaction that does so holds one of them, and holds
    /// them until the end of the caller's transaction.
    pub async fn lock_keys_sqlx(&self, connection: &mut MySqlConnection, messages: &[Message]) -> Result<()> {
        match locking(messages) {
            Some(sql) => connection.execute(::sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop).map_err(error::sqlx),
            None => Ok(()),
        }
    }
}

async fn write(connection: &mut MySqlConnection, messages: &[Message]) -> Result<Enqueued> {
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

async fn insert(connection: &mut MySqlConnection, messages: &[Message], may_be_known: bool) -> Result<()> {
    let mut arguments = MySqlArguments::default();
    for message in messages {
        bind(&mut arguments, Columns::of(message)?)
            .map_err(|cause| Error::new(Kind::Invalid, "a message cannot be bound").caused_by(cause))?;
    }
    let query = ::sqlx::query_with(AssertSqlSafe(statement(messages.len(), may_be_known)), arguments);
    // Only single messages are written so often that their statement is worth keeping.
    query.persistent(messages.len() == 1).execute(connection).await.map(drop).map_err(error::sqlx)
}

async fn count(connection: &mut MySqlConnection, messages: &[Message]) -> Result<usize> {
    let row = connection.fetch_one(::sqlx::raw_sql(AssertSqlSafe(counting(messages)))).await.map_err(error::sqlx)?;
    let count: i64 = row.try_get(0).map_err(error::sqlx)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// In the order of the columns in `sql/enqueue.sql`.
fn bind(arguments: &mut MySqlArguments, columns: Columns<'_>) -> Result<(), ::sqlx::error::BoxDynError> {
    arguments.add(columns.id)?;
    columns.texts.into_iter().try_for_each(|text| arguments.add(text))?;
    arguments.add(columns.occurred_at)?;
    arguments.add(columns.due_at)?;
    arguments.add(columns.destination)?;
    arguments.add(columns.max_attempts)?;
    columns.origin.into_iter().try_for_each(|text| arguments.add(text))?;
    arguments.add(columns.headers)?;
    arguments.add(columns.payload)
}
