//! Whether this is still the database that the journal's positions were made in.
//!
//! Ticks are snapshots of one server's transactions. In a copy that was dumped and restored elsewhere, or in a database that went
//! back in time, the same numbers mean something else, or a relay that still runs remembers a future that did not happen. So the
//! identity of the system and its timeline are kept with the journal, and where they differ nothing is delivered until a person
//! has looked.

use std::sync::OnceLock;

use deadpool_postgres::Client;
use tokio_postgres::Row;

use super::{Postgres, error, migrate};
use crate::error::{Error, Kind, Result};

/// What was found at the first look.
#[derive(Debug, Default)]
pub(super) struct Guard {
    partitions: OnceLock<u16>,
}

impl Postgres {
    /// Checks version and identity, and returns the number of partitions.
    pub(super) async fn verify(&self, client: &Client) -> Result<u16> {
        let statement = client.prepare_cached(include_str!("partitions.sql")).await?;
        let row = client.query_opt(&statement, &[]).await?.ok_or_else(error::no_journal)?;
        migrate::check_version(row.try_get(0)?)?;
        check(&row, 2)?;
        let partitions: i32 = row.try_get(1)?;
        Ok(u16::try_from(partitions).unwrap_or(u16::MAX))
    }

    /// A person has looked at a journal that was refused because its database is another one, or went back in time: from here on
    /// it belongs to this database. Relays are to be stopped before and started after.
    pub async fn accept_store(&self) -> Result<()> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        transaction.batch_execute(include_str!("accept.sql")).await?;
        Ok(transaction.commit().await?)
    }

    /// As [`Postgres::verify`], but asks only once.
    pub(super) async fn partitions_of(&self, client: &Client) -> Result<u16> {
        match self.shared.guard.partitions.get() {
            Some(partitions) => Ok(*partitions),
            None => {
                let partitions = self.verify(client).await?;
                Ok(*self.shared.guard.partitions.get_or_init(|| partitions))
            }
        }
    }
}

/// Two columns: whether the system, and whether its timeline is the one the journal knows.
pub(super) fn check(row: &Row, column: usize) -> Result<()> {
    let (same_system, same_timeline): (bool, bool) = (row.try_get(column)?, row.try_get(column + 1)?);
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
