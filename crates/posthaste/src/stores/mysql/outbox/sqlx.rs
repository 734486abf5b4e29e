//! Writing with sqlx.

use ::sqlx::mysql::MySqlArguments;
use ::sqlx::{Arguments, AssertSqlSafe, Executor, MySqlConnection};

use super::{Bound, Columns, DUPLICATE, Outbox, locking, may_be_known, named, portions, statement};
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
async fn insert(connection: &mut MySqlConnection, messages: &[Message]) -> Result<bool> {
    let rows = messages.iter().map(Columns::of).collect::<Result<Vec<_>>>()?;
    let columns = named(&rows);
    let mut arguments = MySqlArguments::default();
    for value in rows.iter().flat_map(|Columns(values)| columns.iter().map(|column| &values[*column])) {
        bind(&mut arguments, value)
            .map_err(|cause| Error::new(Kind::Invalid, "a message cannot be bound").caused_by(cause))?;
    }
    let query = ::sqlx::query_with(AssertSqlSafe(statement(&columns, messages.len())), arguments);
    // Only single messages are written so often that their statement is worth keeping.
    match query.persistent(messages.len() == 1).execute(connection).await {
        Ok(_) => Ok(true),
        Err(refused) if error::number(&refused) == Some(DUPLICATE) && may_be_known(messages) => Ok(false),
        Err(refused) => Err(error::sqlx(refused)),
    }
}

fn bind(arguments: &mut MySqlArguments, value: &Bound<'_>) -> Result<(), ::sqlx::error::BoxDynError> {
    match value {
        Bound::Nothing => arguments.add(None::<&str>),
        Bound::Text(text) => arguments.add(*text),
        Bound::Made(text) => arguments.add(text.as_str()),
        Bound::Number(number) => arguments.add(*number),
        Bound::Bytes(bytes) => arguments.add(*bytes),
    }
}
