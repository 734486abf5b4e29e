//! Who reads which source.

use std::time::Duration;

use tokio_postgres::Row;

use super::session::Statements;
use super::{Postgres, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Epoch, SourceGrant, SourceLease, SourceReport, WorkerId};
use crate::source::Checkpoint;
use crate::stores::values::{encode_source_report, signed, unsigned};

pub(super) async fn lease_source(
    store: &Postgres,
    worker: &WorkerId,
    source: &Name,
    ttl: Duration,
    held: Option<Epoch>,
    report: &SourceReport,
) -> Result<SourceGrant> {
    let (report, held) = (encode_source_report(report)?, held.map(|epoch| signed(epoch.number())));
    let client = store.client().await?;
    if held.is_none() {
        client.execute(include_str!("sql/lease_source/know.sql"), &[&source.as_str()]).await?;
    }
    let taken = client
        .query_opt(
            include_str!("sql/lease_source/take.sql"),
            &[&source.as_str(), &worker.0, &held, &codec::micros(ttl), &report],
        )
        .await?;
    if let Some(taken) = taken {
        return Ok(SourceGrant { lease: Some(lease(&taken)?), paused: false });
    }
    let paused = client.query_opt(include_str!("sql/lease_source/paused.sql"), &[&source.as_str()]).await?;
    Ok(SourceGrant { lease: None, paused: paused.map_or(Ok(false), |row| row.try_get("paused"))? })
}

fn lease(row: &Row) -> Result<SourceLease> {
    let checkpoint: Option<String> = row.try_get("checkpoint")?;
    Ok(SourceLease {
        epoch: Epoch::new(unsigned(row.try_get("epoch")?)),
        checkpoint: checkpoint.map(Checkpoint::stored),
    })
}
