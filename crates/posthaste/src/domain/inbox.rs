//! Doing a thing once, although its message may arrive more often.
//!
//! The mark and the effect are written in one transaction, in the consumer's own database, so both are there or none. Two
//! deliveries at the same time wait for each other at the mark. Each first mark removes a few that have expired, so the table
//! holds what the retention asks for and nobody has to clean up.

use std::time::Duration;

use super::connection::Connection;
use crate::error::Result;
use crate::journal::Position;
use crate::message::{MessageId, OrderKey};

/// Longer than any destination retries by itself.
const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// What one consumer has seen.
///
/// ```ignore
/// let inbox = Inbox::new("billing");
/// let mut tx = pool.begin().await?;
/// if inbox.once(&mut *tx, message.id).await? {
///     sqlx::query("UPDATE accounts …").execute(&mut *tx).await?;
/// }
/// tx.commit().await?;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbox {
    consumer: String,
    schema: Option<String>,
    retention: Duration,
}

/// A message that a consumer is about to deal with.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Receipt<'a> {
    /// Whose inbox it is.
    pub consumer: &'a str,
    /// Which message.
    pub message: MessageId,
    /// Where the tables of the inbox are, if not where the application's tables are.
    pub schema: Option<&'a str>,
    /// Marks older than this are removed.
    pub retention: Duration,
    /// Also refuse what is not beyond the last position seen of this key.
    pub order: Option<(&'a OrderKey, Position)>,
}

impl Inbox {
    /// The inbox of `consumer`, a name that stays. Consumers with different names see each message once each.
    pub fn new(consumer: impl Into<String>) -> Self {
        Self { consumer: consumer.into(), schema: None, retention: RETENTION }
    }

    /// Keeps the tables of the inbox in this schema, which is there already; on SQLite that is an attached database. Unless given,
    /// they are where the application's tables are. MongoDB has no schemas and refuses one.
    #[must_use]
    pub fn in_schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// How long a message is remembered; seven days, unless given. A repeat that arrives later is not recognised.
    #[must_use]
    pub fn retention(mut self, retention: Duration) -> Self {
        self.retention = retention;
        self
    }

    /// Makes the tables, unless they are there. In a transaction of its own, at the start of the application.
    pub async fn prepare(&self, connection: &mut impl Connection) -> Result<()> {
        connection.prepare_inbox(self.schema.as_deref()).await
    }

    /// Whether this is the first time: if so, do the thing in the same transaction. If the transaction is rolled back it was never
    /// seen.
    pub async fn once(&self, connection: &mut impl Connection, message: MessageId) -> Result<bool> {
        receive(connection, &self.receipt(message, None)).await
    }

    /// As [`Inbox::once`], and also drops what is older than the newest seen of its key: for consumers that keep the latest state
    /// and do not want to know of an older one. (A replayed message, or one that was dead while others went on, comes late.)
    pub async fn once_in_order(
        &self,
        connection: &mut impl Connection,
        message: MessageId,
        key: &OrderKey,
        position: Position,
    ) -> Result<bool> {
        receive(connection, &self.receipt(message, Some((key, position)))).await
    }

    /// Lets a message in once more, for a replay that is meant to take effect again.
    pub async fn forget(&self, connection: &mut impl Connection, message: MessageId) -> Result<()> {
        connection.forget(&self.receipt(message, None)).await
    }

    #[cfg(feature = "rusqlite")]
    pub(super) fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    pub(super) fn receipt<'a>(&'a self, message: MessageId, order: Option<(&'a OrderKey, Position)>) -> Receipt<'a> {
        Receipt { consumer: &self.consumer, message, schema: self.schema.as_deref(), retention: self.retention, order }
    }
}

async fn receive(connection: &mut impl Connection, receipt: &Receipt<'_>) -> Result<bool> {
    let first = connection.receive(receipt).await?;
    if first {
        connection.expire(receipt).await?;
    }
    Ok(first)
}
