//! Keeping leases, and saying how the worker is.

use std::time::Duration;

use mysql_async::params;
use mysql_async::prelude::Queryable;

use super::family::with_server;
use super::retry::again;
use super::{MySql, codec};
use crate::error::{Error, Kind, Result};
use crate::journal::{Lease, Partition, WorkerId, WorkerReport};

pub(super) async fn renew(
    store: &MySql,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &WorkerReport,
) -> Result<Vec<Partition>> {
    let report = serde_json::to_string(report)
        .map_err(|error| Error::new(Kind::Invalid, "the report cannot be written as JSON").caused_by(error))?;
    again!(report_and_extend(store, worker, ttl, held, &report))
}

async fn report_and_extend(
    store: &MySql,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &str,
) -> Result<Vec<Partition>> {
    let mut connection = store.connection().await?;
    let ttl = codec::micros(ttl);
    let said = params! { "worker" => &worker.0, "ttl" => ttl, "report" => report };
    connection.exec_drop(include_str!("sql/renew/report.sql"), said).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let leases = codec::leases(held);
    let extend = with_server(store, include_str!("sql/renew/extend.sql")).await?;
    let extend = extend.replace("{leases}", &leases);
    codec::uncached(&mut connection, extend, params! { "worker" => &worker.0, "ttl" => ttl }).await?;
    let kept = with_server(store, include_str!("sql/renew/kept.sql")).await?;
    let kept = kept.replace("{leases}", &leases);
    let kept = codec::uncached(&mut connection, kept, params! { "worker" => &worker.0 }).await?;
    kept.iter().map(codec::partition).collect()
}
