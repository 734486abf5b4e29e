//! Who holds which partition.

use rusqlite::{Row, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::PartitionStatus;
use crate::journal::{Epoch, Partition};

pub(super) async fn leases(store: &Sqlite) -> Result<Vec<PartitionStatus>> {
    store
        .inspecting(|connection| {
            let mut statement = connection.prepare_cached(include_str!("sql/leases.sql"))?;
            let rows = statement.query_map(named_params! { ":now": codec::now() }, status)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
}

fn status(row: &Row<'_>) -> rusqlite::Result<PartitionStatus> {
    Ok(PartitionStatus {
        partition: Partition::new(row.get("partition")?),
        worker: row.get("worker")?,
        epoch: Epoch::new(row.get("epoch")?),
        expires_in_seconds: row.get("expires_in")?,
    })
}
