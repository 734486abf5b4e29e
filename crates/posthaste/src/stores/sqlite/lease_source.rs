//! Who reads which source.

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, Transaction, named_params};

use super::{Sqlite, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, SourceGrant, SourceLease, SourceReport, WorkerId};
use crate::source::Checkpoint;
use crate::stores::values;

pub(super) async fn lease_source(
    store: &Sqlite,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &SourceReport,
) -> Result<SourceGrant> {
    let (worker, source, report) = (worker.clone(), source.clone(), values::encode_source_report(report)?);
    store.writing(move |transaction| take(transaction, &worker, &source, ttl, held, &report)).await
}

fn take(
    transaction: &Transaction<'_>,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &str,
) -> Result<SourceGrant> {
    let (now, source) = (codec::now(), named_params! { ":source": source.as_str() });
    transaction.prepare_cached(include_str!("sql/lease_source/know.sql"))?.execute(source)?;
    let mut take = transaction.prepare_cached(include_str!("sql/lease_source/take.sql"))?;
    let wanted = named_params! {
        ":source": source[0].1, ":worker": worker.0, ":held": held, ":now": now,
        ":expires_at": now.saturating_add(values::millis(ttl)), ":report": report,
    };
    let lease = take.query_row(wanted, lease).optional()?;
    let paused = match lease {
        Some(_) => false,
        None => transaction
            .prepare_cached(include_str!("sql/lease_source/paused.sql"))?
            .query_row(source, |row| row.get("paused"))?,
    };
    Ok(SourceGrant { lease, paused })
}

fn lease(row: &Row<'_>) -> rusqlite::Result<SourceLease> {
    let checkpoint: Option<String> = row.get("checkpoint")?;
    Ok(SourceLease { epoch: row.get("epoch")?, checkpoint: checkpoint.map(Checkpoint::stored) })
}
