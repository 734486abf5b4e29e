//! Pausing one tenant at a destination, and letting it go on.

use super::session::Statements;
use super::{Postgres, codec};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::TenantChange;
use crate::rules::tenant::{self, RESUMED_IN};
use crate::stores::values;

pub(super) async fn change_tenant(store: &Postgres, destination: &Name, change: &TenantChange) -> Result<bool> {
    let mut client = store.client().await?;
    let transaction = client.transaction().await?;
    let name = destination.as_str();
    let found = transaction.query_opt(include_str!("sql/change_tenant/paused.sql"), &[&name]).await?;
    let found = found.ok_or_else(|| Error::unknown_destination(destination))?;
    let before = values::paused_tenants(found.try_get("paused_tenants")?)?;
    let Some(after) = tenant::changed(&before, change) else { return Ok(false) };
    let after = values::encode_paused_tenants(&after)?;
    transaction.execute(include_str!("sql/change_tenant/set.sql"), &[&name, &after]).await?;
    if matches!(change, TenantChange::Resume(_)) {
        let hasten = include_str!("sql/change_tenant/hasten.sql");
        transaction.execute(hasten, &[&name, &codec::micros(RESUMED_IN)]).await?;
    }
    transaction.commit().await?;
    store.wake();
    Ok(true)
}
