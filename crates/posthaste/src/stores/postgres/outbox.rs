//! The application's side: messages written in its own transaction.

use std::sync::{Arc, LazyLock};

#[cfg(feature = "tokio-postgres")]
pub use self::tokio_postgres::Connection;
use super::schema::{SCHEMA, in_schema};

mod columns;
#[cfg(feature = "postgres")]
mod deadpool_postgres;
#[cfg(feature = "sqlx-postgres")]
mod sqlx;
#[cfg(feature = "tokio-postgres")]
mod tokio_postgres;

/// Locks keys, in no schema: the locks of a database are shared by all of its schemas.
const LOCK_KEYS: &str = include_str!("sql/lock_keys.sql");

/// Where an application writes: the outbox of one schema. Clones are cheap.
///
/// Messages are written in the caller's transaction: they are delivered if it commits, and never were if it does not. Writing is
/// one round trip for any number of messages. A message whose origin is stored already is left out quietly. An outbox never opens,
/// commits or spawns anything.
#[derive(Debug, Clone)]
pub struct Outbox {
    enqueue: Arc<str>,
    /// Whether statements may be kept by name, where the driver does that.
    keeps_statements: bool,
}

impl Outbox {
    /// The outbox in the usual schema, [`SCHEMA`].
    pub fn new() -> Self {
        static USUAL: LazyLock<Outbox> = LazyLock::new(|| Outbox::in_schema(SCHEMA));
        USUAL.clone()
    }

    /// The outbox in another schema. Puts its statement together, so make it once and keep it.
    pub fn in_schema(schema: &str) -> Self {
        Self { enqueue: in_schema(include_str!("sql/enqueue.sql"), schema).into(), keeps_statements: true }
    }

    /// For connections through a pooler in transaction mode, which forgets what was prepared: no statement is kept by name, whichever
    /// driver it is.
    #[must_use]
    pub fn behind_pooler(mut self) -> Self {
        self.keeps_statements = false;
        self
    }
}

impl Default for Outbox {
    fn default() -> Self {
        Self::new()
    }
}
