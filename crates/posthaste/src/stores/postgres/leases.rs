//! Who holds which partition.

use tokio_postgres::Row;

use super::Postgres;
use super::session::Statements;
use crate::error::Result;
use crate::inspect::PartitionStatus;
use crate::journal::{Epoch, Partition};
use crate::stores::values::unsigned;

pub(super) async fn leases(store: &Postgres) -> Result<Vec<PartitionStatus>> {
    let client = store.client().await?;
    client.query(include_str!("sql/leases.sql"), &[]).await?.iter().map(status).collect()
}

fn status(row: &Row) -> Result<PartitionStatus> {
    let partition: i32 = row.try_get("partition")?;
    Ok(PartitionStatus {
        partition: Partition::new(u16::try_from(partition).unwrap_or_default()),
        worker: row.try_get("worker")?,
        epoch: Epoch::new(unsigned(row.try_get("epoch")?)),
        expires_in_seconds: row.try_get("expires_in")?,
    })
}
