//! The audit log.

use tokio_postgres::Row;

use super::session::Statements;
use super::{Postgres, codec};
use crate::error::Result;
use crate::inspect::{AuditEntry, Change};
use crate::stores::values::{signed, unsigned};

pub(super) async fn record(store: &Postgres, change: &Change) -> Result<()> {
    let client = store.client().await?;
    append(&*client, change).await
}

/// By itself, or in the caller's transaction.
pub(super) async fn append(session: &impl Statements, change: &Change) -> Result<()> {
    let affected = signed(change.affected);
    session
        .execute(include_str!("sql/audit/record.sql"), &[&change.who, &change.action, &change.target, &affected])
        .await?;
    Ok(())
}

pub(super) async fn audit(store: &Postgres, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
    let client = store.client().await?;
    let before = before.map_or(i64::MAX, signed);
    let rows = client.query(include_str!("sql/audit/audit.sql"), &[&before, &signed(limit)]).await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<AuditEntry> {
    Ok(AuditEntry {
        number: unsigned(row.try_get("number")?),
        at: codec::timestamp(row, "at")?.unwrap_or_default(),
        change: Change {
            who: row.try_get("who")?,
            action: row.try_get("action")?,
            target: row.try_get("target")?,
            affected: unsigned(row.try_get("affected")?),
        },
    })
}
