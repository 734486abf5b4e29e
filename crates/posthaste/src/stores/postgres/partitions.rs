//! The number of partitions, which is also the check that there is a journal of the right version and in its own database.

use std::sync::OnceLock;

use super::pool::Client;
use super::session::Statements;
use super::{Postgres, identity, migrate};
use crate::error::{Error, Kind, Result};

/// The number of partitions as it was read first: it never changes.
#[derive(Debug, Default)]
pub(super) struct Known(OnceLock<u16>);

pub(super) async fn partitions(store: &Postgres) -> Result<u16> {
    read(store, &store.client().await?).await
}

/// As [`partitions`], but reads it only once.
pub(super) async fn known(store: &Postgres, client: &Client) -> Result<u16> {
    let Known(known) = &store.shared.partitions;
    match known.get() {
        Some(partitions) => Ok(*partitions),
        None => {
            let partitions = read(store, client).await?;
            Ok(*known.get_or_init(|| partitions))
        }
    }
}

async fn read(store: &Postgres, client: &Client) -> Result<u16> {
    let row = client.query_opt(include_str!("sql/partitions.sql"), &[]).await?.ok_or_else(no_journal)?;
    migrate::check_version(row.try_get("version")?)?;
    identity::check(&row, store.shared.identity.server().as_ref())?;
    let partitions: i32 = row.try_get("partitions")?;
    Ok(u16::try_from(partitions).unwrap_or(u16::MAX))
}

fn no_journal() -> Error {
    Error::new(Kind::Schema, "the database holds no journal: run `posthaste migrate`")
}
