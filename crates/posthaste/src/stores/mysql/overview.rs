//! The whole store at a glance.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, Transaction, params};

use self::counts::destinations;
use super::family::Family;
use super::seam::no_journal;
use super::{MySql, codec, connection, partitions, sequencer, sources};
use crate::error::Result;
use crate::inspect::{Figure, Overview, WorkerStatus};
use crate::stores::values;

mod counts;
mod pending;
mod waiting;

/// Messages are counted one by one up to here. Beyond it the server's own estimate is told, which it has at hand.
const EXACT: i64 = 200_000;

/// What estimates are made by.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// How many messages are kept.
    messages: u64,
    /// The highest number of a message that has a position. Positions jump when another server takes over; numbers do not.
    head: i64,
}

pub(super) async fn overview(store: &MySql) -> Result<Overview> {
    sequencer::place_new(store).await?;
    let mut connection = store.connection().await?;
    let partitions = partitions::known(store, &mut connection).await?;
    let mut snapshot = connection::snapshot(&mut connection).await?;
    let sql = include_str!("sql/overview/totals.sql");
    let totals: Option<Row> = snapshot.exec_first(sql, params! { "exact" => EXACT }).await?;
    let totals = totals.ok_or_else(no_journal)?;
    let messages = codec::get(&totals, "messages")?;
    let size = Size { messages, head: codec::get(&totals, "head")? };
    let mut overview = Overview {
        partitions,
        messages,
        newest: codec::position(&totals, "newest")?,
        destinations: destinations(&mut snapshot, size).await?,
        workers: workers(&mut snapshot).await?,
        unheld_partitions: codec::get(&totals, "unheld_partitions")?,
        sources: sources::find(&mut snapshot, None).await?,
        figures: vec![
            seconds("sequencer_delay_seconds", codec::get(&totals, "sequencer_delay")?),
            Figure { name: "gaps", value: codec::get::<i64>(&totals, "gaps")? as f64 },
        ],
    };
    snapshot.rollback().await?;
    let family = store.family().await?;
    let oldest = oldest_transaction(&mut connection, family).await;
    overview.figures.extend(oldest.map(|age| Figure { name: "oldest_transaction_seconds", value: age.as_secs_f64() }));
    Ok(overview)
}

/// A figure of so many microseconds.
fn seconds(name: &'static str, micros: i64) -> Figure {
    Figure { name, value: codec::until(micros).as_secs_f64() }
}

/// How long the oldest transaction has been open; `None` if the user may not know.
pub(super) async fn oldest_transaction(connection: &mut Conn, family: Family) -> Option<Duration> {
    let age = connection.query_first(family.variant(include_str!("sql/overview/oldest_transaction.sql"))).await;
    Some(codec::until(age.ok().flatten()?))
}

async fn workers(snapshot: &mut Transaction<'_>) -> Result<Vec<WorkerStatus>> {
    let rows: Vec<Row> = snapshot.exec(include_str!("sql/overview/workers.sql"), ()).await?;
    let worker = |row: &Row| {
        Ok(WorkerStatus {
            worker: codec::get(row, "worker")?,
            alive: codec::get(row, "alive")?,
            report: values::worker_report(codec::get::<Option<String>>(row, "report")?.as_deref()),
            partitions: codec::get(row, "partitions")?,
        })
    };
    rows.iter().map(worker).collect()
}
