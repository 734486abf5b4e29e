//! Holding every delivery to a destination, and going on.

use rusqlite::named_params;

use super::{Sqlite, register};
use crate::destination::Name;
use crate::error::Result;

pub(super) async fn pause(store: &Sqlite, destination: &Name) -> Result<bool> {
    set(store, destination, true).await
}

pub(super) async fn resume(store: &Sqlite, destination: &Name) -> Result<bool> {
    set(store, destination, false).await
}

/// Returns whether that changed anything.
async fn set(store: &Sqlite, destination: &Name, paused: bool) -> Result<bool> {
    let destination = destination.clone();
    store
        .writing(move |transaction| {
            register::known(transaction, &destination)?;
            let mut statement = transaction.prepare_cached(include_str!("sql/pause.sql"))?;
            let wanted = named_params! { ":destination": destination.as_str(), ":paused": paused };
            Ok(statement.execute(wanted)? == 1)
        })
        .await
}
