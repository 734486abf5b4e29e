//! Who is alive and who holds which partition.

use std::time::Duration;

use tokio_postgres::Row;

use super::{Postgres, codec, guard};
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Epoch, Grant, Lease, Partition, WorkerId, WorkerReport};

impl Postgres {
    pub(super) async fn acquire(&self, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
        let client = self.client().await?;
        let statement = client.prepare_cached(include_str!("lease_glance.sql")).await?;
        let glance = client.query_one(&statement, &[&worker.0]).await?;
        guard::check(&glance, 5)?;
        let announced_for: Option<i64> = glance.try_get(0)?;
        let is_fresh = announced_for.is_some_and(|millis| codec::until(millis) > ttl * 2 / 3);
        let any_free: bool = glance.try_get(2)?;
        // What an idle worker asks twice a second shall not write each time.
        if is_fresh && !(any_free && want > 0) {
            return grant(&glance, Vec::new());
        }
        let statement = client.prepare_cached(include_str!("lease_take.sql")).await?;
        let taken = client.query(&statement, &[&worker.0, &codec::micros(ttl), &codec::limit(want)]).await?;
        grant(&glance, taken.iter().map(lease).collect::<Result<_>>()?)
    }

    pub(super) async fn extend(
        &self,
        worker: &WorkerId,
        ttl: Duration,
        held: &[Lease],
        report: &WorkerReport,
    ) -> Result<Vec<Partition>> {
        let report = serde_json::to_string(report)
            .map_err(|error| Error::new(Kind::Invalid, "a report cannot be written as JSON").caused_by(error))?;
        let client = self.client().await?;
        let statement = client.prepare_cached(include_str!("renew.sql")).await?;
        let (partitions, epochs) = columns(held);
        let kept = client.query(&statement, &[&worker.0, &codec::micros(ttl), &report, &partitions, &epochs]).await?;
        self.shared.upkeep.if_due(&client).await;
        kept.iter().map(|row| codec::partition(row.try_get(0)?)).collect()
    }

    pub(super) async fn give_back(&self, worker: &WorkerId, held: &[Lease], leaving: bool) -> Result<()> {
        let client = self.client().await?;
        let statement = client.prepare_cached(include_str!("release.sql")).await?;
        let (partitions, epochs) = columns(held);
        client.execute(&statement, &[&worker.0, &partitions, &epochs, &leaving]).await?;
        Ok(())
    }
}

fn grant(glance: &Row, leases: Vec<Lease>) -> Result<Grant> {
    let others: i64 = glance.try_get(1)?;
    let paused: Vec<String> = glance.try_get(3)?;
    let workers = usize::try_from(others).unwrap_or(0) + 1;
    Ok(Grant { leases, workers, paused: paused.into_iter().map(Name::from).collect() })
}

fn lease(row: &Row) -> Result<Lease> {
    let epoch = Epoch::new(codec::unsigned(row.try_get(1)?));
    Ok(Lease { partition: codec::partition(row.try_get(0)?)?, epoch, expired_before: row.try_get(2)? })
}

fn columns(held: &[Lease]) -> (Vec<i32>, Vec<i64>) {
    held.iter().map(|lease| (i32::from(lease.partition.number()), codec::signed(lease.epoch.number()))).unzip()
}
