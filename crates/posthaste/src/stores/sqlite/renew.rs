//! Keeping leases, and saying how the worker is.

use std::time::Duration;

use rusqlite::{Transaction, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::journal::{Lease, Partition, WorkerId, WorkerReport};
use crate::stores::values;

pub(super) async fn renew(
    store: &Sqlite,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &WorkerReport,
) -> Result<Vec<Partition>> {
    let (worker, held, report) = (worker.clone(), held.to_vec(), codec::json(report)?);
    store.writing(move |transaction| report_and_extend(transaction, &worker, ttl, &held, &report)).await
}

fn report_and_extend(
    transaction: &Transaction<'_>,
    worker: &WorkerId,
    ttl: Duration,
    held: &[Lease],
    report: &str,
) -> Result<Vec<Partition>> {
    let expires_at = codec::now().saturating_add(values::millis(ttl));
    let report = named_params! { ":worker": worker.0, ":expires_at": expires_at, ":report": report };
    transaction.prepare_cached(include_str!("sql/renew/report.sql"))?.execute(report)?;
    let mut extend = transaction.prepare_cached(include_str!("sql/renew/extend.sql"))?;
    let mut kept = Vec::new();
    for Lease { partition, epoch, .. } in held {
        let extended = extend.execute(named_params! {
            ":partition": partition, ":epoch": epoch, ":worker": worker.0, ":expires_at": expires_at,
        })?;
        if extended == 1 {
            kept.push(*partition);
        }
    }
    Ok(kept)
}
