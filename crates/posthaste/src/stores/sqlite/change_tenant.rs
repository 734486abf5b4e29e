//! Pausing one tenant at a destination, and letting it go on.

use rusqlite::{Transaction, named_params};

use super::{Sqlite, codec, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::TenantChange;
use crate::rules::tenant::{self, RESUMED_IN};
use crate::stores::values;

pub(super) async fn change_tenant(store: &Sqlite, destination: &Name, change: &TenantChange) -> Result<bool> {
    let (destination, change) = (destination.clone(), change.clone());
    let changed = store.writing(move |transaction| apply(transaction, &destination, &change)).await?;
    store.wake();
    Ok(changed)
}

fn apply(transaction: &Transaction<'_>, destination: &Name, change: &TenantChange) -> Result<bool> {
    register::known(transaction, destination)?;
    let name = destination.as_str();
    let mut paused = transaction.prepare_cached(include_str!("sql/change_tenant/paused.sql"))?;
    let before: Option<String> = paused.query_row(named_params! { ":destination": name }, |row| row.get(0))?;
    let Some(after) = tenant::changed(&values::paused_tenants(before.as_deref())?, change) else { return Ok(false) };
    let after = values::encode_paused_tenants(&after)?;
    let set = named_params! { ":destination": name, ":paused_tenants": after };
    transaction.prepare_cached(include_str!("sql/change_tenant/set.sql"))?.execute(set)?;
    if matches!(change, TenantChange::Resume(_)) {
        let soon = codec::now().saturating_add(values::millis(RESUMED_IN));
        let waiting = named_params! { ":destination": name, ":soon": soon };
        transaction.prepare_cached(include_str!("sql/change_tenant/hasten.sql"))?.execute(waiting)?;
    }
    Ok(true)
}
