//! Sources as people see them.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::{MySql, codec};
use crate::error::Result;
use crate::inspect::SourceStatus;
use crate::journal::Epoch;
use crate::source::Checkpoint;
use crate::stores::values;

pub(super) async fn sources(store: &MySql) -> Result<Vec<SourceStatus>> {
    find(&mut store.connection().await?, None).await
}

/// Every source, or the one of this name.
pub(super) async fn find(connection: &mut impl Queryable, source: Option<&str>) -> Result<Vec<SourceStatus>> {
    let rows: Vec<Row> = connection.exec(include_str!("sql/sources.sql"), params! { "source" => source }).await?;
    rows.iter().map(status).collect()
}

fn status(row: &Row) -> Result<SourceStatus> {
    let checkpoint: Option<String> = codec::get(row, "checkpoint")?;
    let report: Option<String> = codec::get(row, "report")?;
    Ok(SourceStatus {
        name: codec::get(row, "name")?,
        paused: codec::get(row, "paused")?,
        checkpoint: checkpoint.map(Checkpoint::stored),
        worker: codec::get(row, "worker")?,
        held: codec::get(row, "held")?,
        epoch: Epoch::new(codec::get(row, "epoch")?),
        events: codec::get(row, "events")?,
        stored: codec::get(row, "stored")?,
        duplicates: codec::get(row, "duplicates")?,
        ignored: codec::get(row, "ignored")?,
        refused: codec::get(row, "refused")?,
        last_event: codec::get(row, "last_event")?,
        moved_at: codec::timestamp(row, "moved_at")?,
        report: values::source_report(report.as_deref()),
    })
}
