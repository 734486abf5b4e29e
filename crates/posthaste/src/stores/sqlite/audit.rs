//! The audit log: writing an entry, and reading the latest.

use rusqlite::{Connection, Row, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};
use crate::stores::values;

pub(super) async fn record(store: &Sqlite, change: &Change) -> Result<()> {
    let change = change.clone();
    store.writing(move |transaction| append(transaction, &change)).await
}

/// In the caller's transaction.
pub(super) fn append(transaction: &Connection, change: &Change) -> Result<()> {
    let mut statement = transaction.prepare_cached(include_str!("sql/audit/record.sql"))?;
    statement.execute(named_params! {
        ":now": codec::now(),
        ":who": change.who,
        ":action": change.action,
        ":target": change.target,
        ":affected": values::signed(change.affected),
    })?;
    Ok(())
}

pub(super) async fn audit(store: &Sqlite, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let before = before.map_or(i64::MAX, values::signed);
    store
        .inspecting(move |connection| {
            let mut statement = connection.prepare_cached(include_str!("sql/audit/audit.sql"))?;
            let latest = named_params! { ":before": before, ":limit": values::signed(limit) };
            Ok(statement.query_map(latest, entry)?.collect::<Result<_, _>>()?)
        })
        .await
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.get("number")?,
        at: values::timestamp(row.get("at")?),
        change: Change {
            who: row.get("who")?,
            action: row.get("action")?,
            target: row.get("target")?,
            affected: row.get("affected")?,
        },
    })
}
