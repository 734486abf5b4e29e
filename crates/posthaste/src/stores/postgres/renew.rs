//! Extending leases, and keeping what a worker reports.

use std::time::Duration;

use super::session::Statements;
use super::{Postgres, codec};
use crate::error::{Error, Kind, Result};
use crate::journal::{Lease, Partition, WorkerId, WorkerReport};

pub(super) async fn renew(
    store: &Postgres,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &WorkerReport,
) -> Result<Vec<Partition>> {
    let report = serde_json::to_string(report)
        .map_err(|error| Error::new(Kind::Invalid, "a report cannot be written as JSON").caused_by(error))?;
    let client = store.client().await?;
    let (partitions, epochs) = codec::leases(held);
    let kept = client
        .query(include_str!("sql/renew.sql"), &[&worker.0, &codec::micros(ttl), &report, &partitions, &epochs])
        .await?;
    store.shared.upkeep.if_due(&client).await;
    kept.iter().map(|row| codec::partition(row.try_get("partition")?)).collect()
}
