//! Who reads which source.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::retry::again;
use super::{MySql, codec, connection};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::journal::{Epoch, SourceGrant, SourceLease, SourceReport, WorkerId};
use crate::source::Checkpoint;
use crate::stores::values::{encode_source_report, signed};

pub(super) async fn lease_source(
    store: &MySql,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &SourceReport,
) -> Result<SourceGrant> {
    let report = encode_source_report(report)?;
    again!(lease_once(store, worker, source, ttl, held, &report))
}

async fn lease_once(
    store: &MySql,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &str,
) -> Result<SourceGrant> {
    let mut connection = store.connection().await?;
    if held.is_none() {
        let known = params! { "source" => source.as_str() };
        connection.exec_drop(include_str!("sql/lease_source/know.sql"), known).await?;
    }
    let mut transaction = connection::begin(&mut connection).await?;
    let held = held.map(|epoch| signed(epoch.number()));
    let asked = params! { "source" => source.as_str(), "worker" => &worker.0, "held" => held };
    let row: Option<Row> = transaction.exec_first(include_str!("sql/lease_source/glance.sql"), asked).await?;
    let row = row.ok_or_else(|| Error::unknown_source(source))?;
    let grant = grant(&row)?;
    if let Some(lease) = &grant.lease {
        let taken = params! {
            "source" => source.as_str(), "worker" => &worker.0, "epoch" => signed(lease.epoch.number()),
            "ttl" => codec::micros(ttl), "report" => report,
        };
        transaction.exec_drop(include_str!("sql/lease_source/take.sql"), taken).await?;
    }
    transaction.commit().await?;
    Ok(grant)
}

/// What the worker gets of a source that stands so.
fn grant(row: &Row) -> Result<SourceGrant> {
    let is_mine = codec::get::<Option<bool>>(row, "is_mine")?.unwrap_or_default();
    let (is_free, paused): (bool, bool) = (codec::get(row, "is_free")?, codec::get(row, "paused")?);
    if paused || !is_mine && !is_free {
        return Ok(SourceGrant { lease: None, paused });
    }
    let epoch = Epoch::new(codec::get(row, "epoch")?);
    let checkpoint: Option<String> = codec::get(row, "checkpoint")?;
    let epoch = if is_mine { epoch } else { epoch.next() };
    Ok(SourceGrant { lease: Some(SourceLease { epoch, checkpoint: checkpoint.map(Checkpoint::stored) }), paused })
}
