//! Sources as people see them.

use tokio_postgres::Row;

use super::Postgres;
use super::session::Statements;
use crate::error::Result;
use crate::inspect::SourceStatus;
use crate::journal::Epoch;
use crate::source::Checkpoint;
use crate::stores::values::{self, unsigned};

pub(super) async fn sources(store: &Postgres) -> Result<Vec<SourceStatus>> {
    find(&*store.client().await?, None).await
}

/// Every source, or the one of this name.
pub(super) async fn find(session: &impl Statements, source: Option<&str>) -> Result<Vec<SourceStatus>> {
    session.query(include_str!("sql/sources.sql"), &[&source]).await?.iter().map(status).collect()
}

fn status(row: &Row) -> Result<SourceStatus> {
    let (checkpoint, report): (Option<String>, Option<String>) = (row.try_get("checkpoint")?, row.try_get("report")?);
    let count = |column| row.try_get::<_, i64>(column).map(unsigned);
    Ok(SourceStatus {
        name: row.try_get("name")?,
        paused: row.try_get("paused")?,
        checkpoint: checkpoint.map(Checkpoint::stored),
        worker: row.try_get("worker")?,
        held: row.try_get("held")?,
        epoch: Epoch::new(count("epoch")?),
        events: count("events")?,
        stored: count("stored")?,
        duplicates: count("duplicates")?,
        ignored: count("ignored")?,
        refused: count("refused")?,
        last_event: row.try_get("last_event")?,
        moved_at: row.try_get::<_, Option<i64>>("moved_at")?.map(values::timestamp),
        report: values::source_report(report.as_deref()),
    })
}
