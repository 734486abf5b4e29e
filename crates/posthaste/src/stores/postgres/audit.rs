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
    let statement = client.prepare_cached(include_str!("audit.sql")).await?;
    let before = before.map_or(i64::MAX, codec::signed);
    let rows = client.query(&statement, &[&before, &codec::limit(limit)]).await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<AuditEntry> {
    let (who, action, target) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
    Ok(AuditEntry {
        number: codec::unsigned(row.try_get(0)?),
        at: codec::timestamp(row, 1)?.unwrap_or_default(),
        change: Change { who, action, target, affected: codec::unsigned(row.try_get(5)?) },
    })
}
