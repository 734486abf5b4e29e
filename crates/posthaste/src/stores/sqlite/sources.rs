//! Sources as people see them.

use rusqlite::{Connection, Row, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::SourceStatus;
use crate::source::Checkpoint;
use crate::stores::values;

pub(super) async fn sources(store: &Sqlite) -> Result<Vec<SourceStatus>> {
    store.inspecting(|connection| find(connection, None)).await
}

/// Every source, or the one of this name.
pub(super) fn find(connection: &Connection, source: Option<&str>) -> Result<Vec<SourceStatus>> {
    let mut statement = connection.prepare_cached(include_str!("sql/sources.sql"))?;
    let found = statement.query_map(named_params! { ":source": source, ":now": codec::now() }, status)?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn status(row: &Row<'_>) -> rusqlite::Result<SourceStatus> {
    let (checkpoint, report): (Option<String>, Option<String>) = (row.get("checkpoint")?, row.get("report")?);
    let count = |column| row.get::<_, i64>(column).map(values::unsigned);
    Ok(SourceStatus {
        name: row.get("name")?,
        paused: row.get("paused")?,
        checkpoint: checkpoint.map(Checkpoint::stored),
        worker: row.get("worker")?,
        held: row.get("held")?,
        epoch: row.get("epoch")?,
        events: count("events")?,
        stored: count("stored")?,
        duplicates: count("duplicates")?,
        ignored: count("ignored")?,
        refused: count("refused")?,
        last_event: row.get("last_event")?,
        moved_at: row.get::<_, Option<i64>>("moved_at")?.map(values::timestamp),
        report: values::source_report(report.as_deref()),
    })
}
