//! Pausing, resuming and rewinding a source.

use rusqlite::{Transaction, named_params};

use super::sources::find;
use super::{Sqlite, codec};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::SourceChange;
use crate::rules::source;
use crate::stores::values;

pub(super) async fn change_source(store: &Sqlite, source: &Name, change: &SourceChange) -> Result<bool> {
    let (source, change) = (source.clone(), change.clone());
    store.writing(move |transaction| apply(transaction, &source, &change)).await
}

fn apply(transaction: &Transaction<'_>, name: &Name, change: &SourceChange) -> Result<bool> {
    let found = find(transaction, Some(name.as_str()))?;
    let known = found.first().ok_or_else(|| Error::unknown_source(name))?;
    let Some(after) = source::changed(known, change) else { return Ok(false) };
    let report = after.report.as_ref().map(values::encode_source_report).transpose()?;
    transaction.prepare_cached(include_str!("sql/change_source.sql"))?.execute(named_params! {
        ":source": name.as_str(),
        ":paused": after.paused,
        ":checkpoint": after.checkpoint.as_ref().map(|checkpoint| checkpoint.as_str()),
        ":report": report,
        ":now": codec::now(),
    })?;
    Ok(true)
}
