//! The whole store at a glance.

use rusqlite::{Connection, named_params};

use super::counts::Counts;
use super::{Sqlite, advance, codec, partitions, sources};
use crate::error::Result;
use crate::inspect::{Figure, Overview, WorkerStatus};
use crate::stores::values;

pub(super) async fn overview(store: &Sqlite) -> Result<Overview> {
    let mut overview = store.inspecting(glance).await?;
    overview.figures = figures(store);
    Ok(overview)
}

fn glance(connection: &Connection) -> Result<Overview> {
    let snapshot = connection.unchecked_transaction()?;
    let now = codec::now();
    let mut statement = snapshot.prepare_cached(include_str!("sql/overview/totals.sql"))?;
    let totals = statement
        .query_row(named_params! { ":now": now }, |row| Ok((row.get("messages")?, row.get("unheld_partitions")?)));
    let (messages, unheld_partitions) = totals?;
    Ok(Overview {
        partitions: partitions::count(&snapshot)?,
        messages,
        newest: advance::newest(&snapshot)?,
        destinations: Counts::of(&snapshot, now)?,
        workers: workers(&snapshot, now)?,
        unheld_partitions,
        sources: sources::find(&snapshot, None)?,
        figures: Vec::new(),
    })
}

fn workers(connection: &Connection, now: i64) -> Result<Vec<WorkerStatus>> {
    let mut statement = connection.prepare_cached(include_str!("sql/overview/workers.sql"))?;
    let workers = statement.query_map(named_params! { ":now": now }, |row| {
        Ok(WorkerStatus {
            worker: row.get("worker")?,
            alive: row.get("alive")?,
            report: values::worker_report(row.get::<_, Option<String>>("report")?.as_deref()),
            partitions: row.get("partitions")?,
        })
    })?;
    Ok(workers.collect::<Result<_, _>>()?)
}

/// The write-ahead log shrinks only when nobody reads an old state of the database; a reader that hangs makes it grow.
fn figures(store: &Sqlite) -> Vec<Figure> {
    let mut log = store.shared.path.clone().into_os_string();
    log.push("-wal");
    let bytes = std::fs::metadata(log).map_or(0, |log| log.len());
    vec![Figure { name: "wal_bytes", value: bytes as f64 }]
}
