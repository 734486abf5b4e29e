//! Holding every delivery to a destination, and going on.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::{MySql, register};
use crate::destination::Name;
use crate::error::Result;

pub(super) async fn pause(store: &MySql, destination: &Name) -> Result<bool> {
    set(store, destination, true).await
}

pub(super) async fn resume(store: &MySql, destination: &Name) -> Result<bool> {
    set(store, destination, false).await
}

/// Returns whether that changed anything.
async fn set(store: &MySql, destination: &Name, paused: bool) -> Result<bool> {
    let mut connection = store.connection().await?;
    register::known(&mut connection, destination).await?;
    let wanted = params! { "destination" => destination.as_str(), "paused" => paused };
    connection.exec_drop(include_str!("sql/pause.sql"), wanted).await?;
    Ok(connection.affected_rows() == 1)
}
