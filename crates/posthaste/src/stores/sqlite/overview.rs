//! The whole store at a glance.

use rusqlite::{Connection, named_params};

use super::census::Census;
use super::report::worker_report;
use super::{codec, migrate, read};
use crate::error::Result;
use crate::inspect::{Overview, WorkerStatus};

pub(super) fn overview(connection: &Connection) -> Result<Overview> {
    let snapshot = connection.unchecked_transaction()?;
    let now = codec::now();
    let mut statement = snapshot.prepare_cached(include_str!("overview_totals.sql"))?;
    let totals = statement.query_row(named_params! { ":now": now }, |row| Ok((row.get(0)?, row.get(1)?)));
    let (messages, unheld_partitions) = totals?;
    Ok(Overview {
        partitions: migrate::partitions(&snapshot)?,
        messages,
        newest: read::newest(&snapshot)?,
        destinations: Census::take(&snapshot, now)?,
        workers: workers(&snapshot, now)?,
        unheld_partitions,
        figures: Vec::new(),
    })
}

fn workers(connection: &Connection, now: i64) -> Result<Vec<WorkerStatus>> {
    let mut statement = connection.prepare_cached(include_str!("overview_workers.sql"))?;
    let workers = statement.query_map(named_params! { ":now": now }, |row| {
        Ok(WorkerStatus {
            worker: row.get(0)?,
            alive: row.get(1)?,
            report: worker_report(row.get(2)?),
            partitions: row.get(3)?,
        })
    })?;
    Ok(workers.collect::<Result<_, _>>()?)
}
