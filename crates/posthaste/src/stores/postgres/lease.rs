//! Acquiring partitions, and announcing that a worker is alive.

use std::time::Duration;

use tokio_postgres::Row;

use super::session::Statements;
use super::{Postgres, codec, identity};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, Grant, Lease, WorkerId};
use crate::stores::values::{self, signed, unsigned};

pub(super) async fn lease(store: &Postgres, worker: &WorkerId, ttl: Duration, want: usize) -> Result<Grant> {
    let client = store.client().await?;
    let glance = client.query_one(include_str!("sql/lease/glance.sql"), &[&worker.0]).await?;
    identity::check(&glance, store.shared.identity.server().as_ref())?;
    let announced_for: Option<i64> = glance.try_get("announced_for")?;
    let is_fresh = announced_for.is_some_and(|millis| codec::until(millis) > ttl * 2 / 3);
    let any_free: bool = glance.try_get("any_free")?;
    // An idle worker calls this twice a second, and is not to write each time.
    if is_fresh && !(any_free && want > 0) {
        return grant(&glance, Vec::new());
    }
    let taken =
        client.query(include_str!("sql/lease/take.sql"), &[&worker.0, &codec::micros(ttl), &signed(want)]).await?;
    grant(&glance, taken.iter().map(taken_lease).collect::<Result<_>>()?)
}

fn grant(glance: &Row, leases: Vec<Lease>) -> Result<Grant> {
    let others: i64 = glance.try_get("others")?;
    let paused: Vec<String> = glance.try_get("paused")?;
    let workers = usize::try_from(others).unwrap_or(0) + 1;
    let with_tenants: Vec<String> = glance.try_get("with_tenants")?;
    let tenants: Vec<&str> = glance.try_get("paused_tenants")?;
    let tenants = with_tenants.into_iter().zip(tenants).map(|(name, json)| values::paused_at(name, Some(json)));
    let paused = paused.into_iter().map(Name::from).collect();
    Ok(Grant { leases, workers, paused, paused_tenants: tenants.collect::<Result<_>>()? })
}

fn taken_lease(row: &Row) -> Result<Lease> {
    Ok(Lease {
        partition: codec::partition(row.try_get("partition")?)?,
        epoch: Epoch::new(unsigned(row.try_get("epoch")?)),
        expired_before: row.try_get("expired_before")?,
    })
}
