//! The audit log: writing an entry, and reading the latest.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::{MySql, codec};
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};
use crate::stores::values;

pub(super) async fn record(store: &MySql, change: &Change) -> Result<()> {
    append(&mut store.connection().await?, change).await
}

/// With the caller's connection, or in its transaction.
pub(super) async fn append(connection: &mut impl Queryable, change: &Change) -> Result<()> {
    let entry = params! {
        "who" => &change.who,
        "action" => &change.action,
        "target" => &change.target,
        "affected" => values::signed(change.affected),
    };
    Ok(connection.exec_drop(include_str!("sql/audit/record.sql"), entry).await?)
}

pub(super) async fn audit(store: &MySql, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let latest = params! { "before" => before.map_or(i64::MAX, values::signed), "limit" => values::signed(limit) };
    let rows: Vec<Row> = store.connection().await?.exec(include_str!("sql/audit/audit.sql"), latest).await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: codec::get(row, "number")?,
        at: codec::timestamp(row, "at")?.unwrap_or_default(),
        change: Change {
            who: codec::get(row, "who")?,
            action: codec::get(row, "action")?,
            target: codec::get(row, "target")?,
            affected: codec::get(row, "affected")?,
        },
    })
}
