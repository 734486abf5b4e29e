//! Who holds which partition.

use mysql_async::Row;
use mysql_async::prelude::Queryable;

use super::{MySql, codec};
use crate::error::Result;
use crate::inspect::PartitionStatus;
use crate::journal::Epoch;

pub(super) async fn leases(store: &MySql) -> Result<Vec<PartitionStatus>> {
    let rows: Vec<Row> = store.connection().await?.exec(include_str!("sql/leases.sql"), ()).await?;
    rows.iter().map(status).collect()
}

fn status(row: &Row) -> Result<PartitionStatus> {
    let micros: Option<i64> = codec::get(row, "expires_in")?;
    Ok(PartitionStatus {
        partition: codec::partition(row)?,
        worker: codec::get(row, "worker")?,
        epoch: Epoch::new(codec::get(row, "epoch")?),
        expires_in_seconds: micros.map(|micros| codec::until(micros).as_secs_f64()),
    })
}
