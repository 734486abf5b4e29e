//! Holding a destination, and letting it go on.

use super::session::Statements;
use super::{Postgres, register};
use crate::destination::Name;
use crate::error::Result;

pub(super) async fn pause(store: &Postgres, destination: &Name) -> Result<bool> {
    set_paused(store, destination, true).await
}

pub(super) async fn resume(store: &Postgres, destination: &Name) -> Result<bool> {
    set_paused(store, destination, false).await
}

/// Returns whether that changed anything.
async fn set_paused(store: &Postgres, destination: &Name, paused: bool) -> Result<bool> {
    let client = store.client().await?;
    register::check_known(&client, destination).await?;
    Ok(client.execute(include_str!("sql/pause.sql"), &[&destination.as_str(), &paused]).await? == 1)
}
