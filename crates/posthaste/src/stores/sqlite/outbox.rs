//! The application's side: messages written in its own transaction.

use crate::journal::partition_of;
use crate::message::Message;
use crate::stores::statement::with_columns;

#[cfg(feature = "rusqlite")]
mod rusqlite;
#[cfg(feature = "sqlx-sqlite")]
mod sqlx;

/// The columns of a message, once for all statements that read or write messages.
pub(super) const MESSAGE_COLUMNS: &str = include_str!("sql/message_columns.sql");

/// Where an application writes: the outbox of the database file that its connection has open.
///
/// What it writes is delivered if the application's transaction commits, and never was if it does not. A message whose origin or
/// id is stored already is left out quietly. After an error the transaction is to be rolled back.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Outbox {}

impl Outbox {
    /// The outbox of the file; there is one in each.
    pub fn new() -> Self {
        Self {}
    }
}

/// The statement that stores one message.
fn statement() -> &'static str {
    with_columns!(MESSAGE_COLUMNS, "sql/enqueue.sql")
}

/// The partition of a message as a column.
fn partition(message: &Message, partitions: u16) -> u16 {
    partition_of(message, partitions).number()
}
