//! The audit log.

use rusqlite::{Connection, Row, Transaction, named_params};

use super::codec;
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};

pub(super) fn record(transaction: &Transaction<'_>, change: &Change) -> Result<()> {
    let mut statement = transaction.prepare_cached(include_str!("audit_record.sql"))?;
    statement.execute(named_params! {
        ":now": codec::now(),
        ":who": change.who,
        ":action": change.action,
        ":target": change.target,
        ":affected": i64::try_from(change.affected).unwrap_or(i64::MAX),
    })?;
    Ok(())
}

pub(super) fn audit(connection: &Connection, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let before = before.and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(include_str!("audit.sql"))?;
    let entries = statement.query_map(named_params! { ":before": before, ":limit": limit }, entry)?;
    Ok(entries.collect::<Result<_, _>>()?)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        number: row.get(0)?,
        at: codec::timestamp(row.get(1)?),
        change: Change { who: row.get(2)?, action: row.get(3)?, target: row.get(4)?, affected: row.get(5)? },
    })
}
