//! Pausing, resuming and rewinding a source.

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::retry::again;
use super::sources::find;
use super::{MySql, connection};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::SourceChange;
use crate::rules::source;
use crate::stores::values;

pub(super) async fn change_source(store: &MySql, source: &Name, change: &SourceChange) -> Result<bool> {
    again!(change_once(store, source, change))
}

async fn change_once(store: &MySql, name: &Name, change: &SourceChange) -> Result<bool> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let locked = params! { "source" => name.as_str() };
    transaction.exec_drop(include_str!("sql/change_source/lock.sql"), locked).await?;
    let found = find(&mut transaction, Some(name.as_str())).await?;
    let known = found.first().ok_or_else(|| Error::unknown_source(name))?;
    let Some(after) = source::changed(known, change) else { return Ok(false) };
    let set = params! {
        "source" => name.as_str(),
        "paused" => after.paused,
        "checkpoint" => after.checkpoint.as_ref().map(|checkpoint| checkpoint.as_str()),
        "report" => after.report.as_ref().map(values::encode_source_report).transpose()?,
    };
    transaction.exec_drop(include_str!("sql/change_source/set.sql"), set).await?;
    transaction.commit().await?;
    Ok(true)
}
