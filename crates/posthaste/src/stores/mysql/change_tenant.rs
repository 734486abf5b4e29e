//! Pausing one tenant at a destination, and letting it go on.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::retry::again;
use super::{MySql, codec, connection};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::TenantChange;
use crate::rules::tenant::{self, RESUMED_IN};
use crate::stores::values;

pub(super) async fn change_tenant(store: &MySql, destination: &Name, change: &TenantChange) -> Result<bool> {
    let changed = again!(change_once(store, destination, change))?;
    store.wake();
    Ok(changed)
}

async fn change_once(store: &MySql, destination: &Name, change: &TenantChange) -> Result<bool> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let name = destination.as_str();
    let paused = include_str!("sql/change_tenant/paused.sql");
    let found: Option<Row> = transaction.exec_first(paused, params! { "destination" => name }).await?;
    let found = found.ok_or_else(|| Error::unknown_destination(destination))?;
    let before = values::paused_tenants(codec::get::<Option<String>>(&found, "paused_tenants")?.as_deref())?;
    let Some(after) = tenant::changed(&before, change) else { return Ok(false) };
    let set = params! { "destination" => name, "paused_tenants" => values::encode_paused_tenants(&after)? };
    transaction.exec_drop(include_str!("sql/change_tenant/set.sql"), set).await?;
    if matches!(change, TenantChange::Resume(_)) {
        let soon = params! { "destination" => name, "soon" => codec::micros(RESUMED_IN) };
        transaction.exec_drop(include_str!("sql/change_tenant/hasten.sql"), soon).await?;
        transaction.query_drop(include_str!("sql/wake.sql")).await?;
    }
    transaction.commit().await?;
    Ok(true)
}
