//! Whether this is still the database that the journal's positions were made in.
//!
//! Ticks are snapshots of one server's transactions. In a copy that was dumped and restored elsewhere, or in a database that went
//! back in time, the same numbers mean something else, or a relay that still runs remembers a future that did not happen. So the
//! identity of the system and its timeline are kept with the journal, and where they differ nothing is delivered until a person
//! has looked.

use std::sync::OnceLock;

use deadpool_postgres::{ClientWrapper, HookError};
use tokio_postgres::Row;

use crate::error::{Error, Kind, Result};

/// The system and its timeline, as the first connection of this process found them.
#[derive(Debug, Default)]
pub(super) struct Identity(OnceLock<[String; 2]>);

impl Identity {
    /// Refuses a connection that leads to another database than the first one did: a database that went back in time does not have
    /// what this process remembers of it. Such a thing never happens to an open connection.
    pub(super) async fn recognise(&self, client: &ClientWrapper) -> Result<(), HookError> {
        let row =
            client.query_one(include_str!("sql/connection/identity.sql"), &[]).await.map_err(HookError::Backend)?;
        let found = [row.get("system"), row.get("timeline")];
        if *self.0.get_or_init(|| found.clone()) == found {
            return Ok(());
        }
        Err(HookError::message(
            "this is another database than before, or an earlier state of it: run `posthaste check`, then start anew",
        ))
    }
}

/// Refuses a journal whose row says that its database is another one, or that it has another timeline than the journal knows.
pub(super) fn check(row: &Row) -> Result<()> {
    let (same_system, same_timeline): (bool, bool) = (row.try_get("same_system")?, row.try_get("same_timeline")?);
    if same_system && same_timeline {
        return Ok(());
    }
    let what = if same_system {
        "the database went on from an earlier state (a failover or a recovery), so the last deliveries may be forgotten"
    } else {
        "the journal was copied from another server, so its positions mean nothing here"
    };
    let text = format!(
        "{what}: nothing is delivered until you have run `posthaste migrate --accept-store`; see docs/stores/postgres.md"
    );
    Err(Error::new(Kind::Schema, text))
}
