//! The audit log.

use deadpool_postgres::Client;
use tokio_postgres::Row;

use super::codec;
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};

pub(super) async fn record(client: &Client, change: &Change) -> Result<()> {
    let statement = client.prepare_cached(include_str!("audit_record.sql")).await?;
    let affected = codec::signed(change.affected);
    client.execute(&statement, &[&change.who, &change.action, &change.target, &affected]).await?;
    Ok(())
}

pub(super) async fn audit(client: &Client, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let before = before.map_or(i64::MAX, codec::signed);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let statement = client.prepare_cached(include_str!("audit.sql")).await?;
    client.query(&statement, &[&before, &limit]).await?.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<AuditEntry> {
    let change = Change {
        who: row.try_get(2)?,
        action: row.try_get(3)?,
        target: row.try_get(4)?,
        affected: codec::unsigned(row.try_get(5)?),
    };
    Ok(AuditEntry {
        number: codec::unsigned(row.try_get(0)?),
        at: codec::timestamp(row, 1)?.unwrap_or_default(),
        change,
    })
}
