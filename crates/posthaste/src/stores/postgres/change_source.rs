//! Pausing, resuming and rewinding a source.

use super::Postgres;
use super::session::Statements;
use super::sources::find;
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::SourceChange;
use crate::rules::source;
use crate::stores::values;

pub(super) async fn change_source(store: &Postgres, name: &Name, change: &SourceChange) -> Result<bool> {
    let mut client = store.client().await?;
    let transaction = client.transaction().await?;
    transaction.execute(include_str!("sql/change_source/lock.sql"), &[&name.as_str()]).await?;
    let found = find(&transaction, Some(name.as_str())).await?;
    let known = found.first().ok_or_else(|| Error::unknown_source(name))?;
    let Some(after) = source::changed(known, change) else { return Ok(false) };
    let report = after.report.as_ref().map(values::encode_source_report).transpose()?;
    let checkpoint = after.checkpoint.as_ref().map(|checkpoint| checkpoint.as_str());
    let set = include_str!("sql/change_source/set.sql");
    transaction.execute(set, &[&name.as_str(), &after.paused, &checkpoint, &report]).await?;
    transaction.commit().await?;
    Ok(true)
}
