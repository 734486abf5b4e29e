//! Writing with rusqlite.

use ::rusqlite::{Statement, Transaction, params};
use uuid::fmt::Hyphenated;

use super::{Outbox, partition, statement};
use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::headers;
use crate::stores::sqlite::partitions;
use crate::stores::telemetry::Writing;

impl Outbox {
    /// Writes messages in the caller's transaction.
    pub fn enqueue(&self, transaction: &Transaction<'_>, messages: &[Message]) -> Result<Enqueued> {
        Writing::begin(messages).end(write(transaction, messages))
    }
}

fn write(transaction: &Transaction<'_>, messages: &[Message]) -> Result<Enqueued> {
    let partitions = partitions::count(transaction)?;
    let mut statement = transaction.prepare_cached(statement())?;
    let mut enqueued = Enqueued::default();
    for message in messages {
        match insert(&mut statement, message, partitions)? {
            0 => enqueued.duplicates += 1,
            _ => enqueued.stored += 1,
        }
    }
    Ok(enqueued)
}

/// In the order of the columns in `sql/message_columns.sql`, without the first.
fn insert(statement: &mut Statement<'_>, message: &Message, partitions: u16) -> Result<usize> {
    let mut id = [0; Hyphenated::LENGTH];
    let origin = message.origin.as_ref();
    let stored = statement.execute(params![
        partition(message, partitions),
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
        headers::encode(&message.headers)?,
        &*message.payload,
    ])?;
    Ok(stored)
}
