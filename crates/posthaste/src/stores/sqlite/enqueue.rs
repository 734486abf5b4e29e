//! The application's side: messages written in its own transaction.

use rusqlite::{Statement, Transaction, params};
use uuid::fmt::Hyphenated;

use super::{codec, migrate};
use crate::error::Result;
use crate::journal::{Enqueued, partition_of};
use crate::message::{Headers, Message};
use crate::stores::telemetry::Writing;

#[cfg(feature = "sqlx-sqlite")]
pub(super) mod sqlx;

/// Writes messages in the caller's transaction: they are delivered if it commits, and never were if it does not. A message
/// whose origin or id is stored already is left out quietly. After an error the transaction is to be rolled back.
pub fn enqueue(transaction: &Transaction<'_>, messages: &[Message]) -> Result<Enqueued> {
    Writing::begin(messages).end(write(transaction, messages))
}

fn write(transaction: &Transaction<'_>, messages: &[Message]) -> Result<Enqueued> {
    let partitions = migrate::partitions(transaction)?;
    let mut statement = transaction.prepare_cached(include_str!("enqueue.sql"))?;
    let mut enqueued = Enqueued::default();
    for message in messages {
        match insert(&mut statement, message, partitions)? {
            0 => enqueued.duplicates += 1,
            _ => enqueued.stored += 1,
        }
    }
    Ok(enqueued)
}

fn insert(statement: &mut Statement<'_>, message: &Message, partitions: u16) -> Result<usize> {
    let mut id = [0; Hyphenated::LENGTH];
    let origin = message.origin.as_ref();
    let stored = statement.execute(params![
        &*message.id.0.as_hyphenated().encode_lower(&mut id),
        message.event_type.as_str(),
        message.aggregate_type.as_str(),
        message.aggregate_id.as_str(),
        message.key.as_deref(),
        message.tenant.as_deref(),
        message.user.as_deref(),
        message.correlation_id.as_deref(),
        message.content_type.as_str(),
        message.occurred_at.as_millisecond(),
        message.due_at.map(|at| at.as_millisecond()),
        message.destination.as_deref(),
        message.max_attempts,
        origin.map(|origin| origin.stream.as_str()),
        origin.map(|origin| origin.event.as_str()),
        headers(&message.headers)?,
        &*message.payload,
        partition_of(message, partitions),
    ])?;
    Ok(stored)
}

fn headers(headers: &Headers) -> Result<Option<String>> {
    if headers.is_empty() { Ok(None) } else { codec::json(headers).map(Some) }
}
