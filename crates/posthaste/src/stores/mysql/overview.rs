//! The whole store at a glance.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, Transaction, params};

use super::seam::no_journal;
use super::{MySql, codec, connection, partitions, sequencer, sources};
use crate::error::Result;
use crate::inspect::{DestinationCounts, Figure, Overview, Status, WorkerStatus};
use crate::stores::values;

pub(super) async fn overview(store: &MySql) -> Result<Overview> {
    sequencer::place_new(store).await?;
    let mut connection = store.connection().await?;
    let partitions = partitions::known(store, &mut connection).await?;
    let mut snapshot = connection::snapshot(&mut connection).await?;
    let totals: Option<Row> = snapshot.exec_first(include_str!("sql/overview/totals.sql"), ()).await?;
    let totals = totals.ok_or_else(no_journal)?;
    let mut overview = Overview {
        partitions,
        messages: codec::get(&totals, "messages")?,
        newest: codec::position(&totals, "newest")?,
        destinations: destinations(&mut snapshot).await?,
        workers: workers(&mut snapshot).await?,
        unheld_partitions: codec::get(&totals, "unheld_partitions")?,
        sources: sources::find(&mut snapshot, None).await?,
        figures: vec![
            seconds("sequencer_delay_seconds", codec::get(&totals, "sequencer_delay")?),
            Figure { name: "gaps", value: codec::get::<i64>(&totals, "gaps")? as f64 },
        ],
    };
    snapshot.rollback().await?;
    overview.figures.extend(oldest_transaction(&mut connection).await);
    Ok(overview)
}

/// A figure of so many microseconds.
fn seconds(name: &'static str, micros: i64) -> Figure {
    Figure { name, value: codec::until(micros).as_secs_f64() }
}

/// How long the oldest transaction has been open; `None` if the user may not know.
async fn oldest_transaction(connection: &mut Conn) -> Option<Figure> {
    let age = connection.query_first(include_str!("sql/overview/oldest_transaction.sql")).await;
    Some(seconds("oldest_transaction_seconds", age.ok().flatten()?))
}

async fn destinations(snapshot: &mut Transaction<'_>) -> Result<Vec<DestinationCounts>> {
    let named: Vec<Row> = snapshot.exec(include_str!("sql/overview/destinations.sql"), ()).await?;
    let mut counts = Vec::new();
    for row in &named {
        let (destination, paused) = (codec::get(row, "name")?, codec::get(row, "paused")?);
        let paused_tenants = values::paused_tenants(codec::get::<Option<String>>(row, "paused_tenants")?.as_deref())?;
        counts.push(DestinationCounts { destination, paused, paused_tenants, ..DestinationCounts::default() });
    }
    for row in kinds(snapshot).await? {
        let destination: String = codec::get(&row, "destination")?;
        if let Some(counts) = counts.iter_mut().find(|counts| counts.destination == destination) {
            note(counts, &row)?;
        }
    }
    Ok(counts)
}

/// How many deliveries of each kind there are.
async fn kinds(snapshot: &mut Transaction<'_>) -> Result<Vec<Row>> {
    let mut kinds: Vec<Row> = snapshot.exec(include_str!("sql/overview/parked.sql"), ()).await?;
    kinds.extend(snapshot.exec::<Row, _, _>(include_str!("sql/overview/held_keys.sql"), ()).await?);
    kinds.extend(snapshot.exec::<Row, _, _>(include_str!("sql/overview/waiting.sql"), ()).await?);
    let slowest: Option<i64> = snapshot.query_first(include_str!("sql/list/slowest.sql")).await?;
    let beyond = params! { "slowest" => slowest.unwrap_or_default() };
    let first: Option<Option<i64>> = snapshot.exec_first(include_str!("sql/overview/first.sql"), beyond).await?;
    if let Some(first) = first.flatten() {
        let pending = params! { "first" => first };
        kinds.extend(snapshot.exec::<Row, _, _>(include_str!("sql/overview/pending.sql"), pending).await?);
    }
    Ok(kinds)
}

fn note(counts: &mut DestinationCounts, row: &Row) -> Result<()> {
    let messages: u64 = codec::get(row, "messages")?;
    let what: String = codec::get(row, "what")?;
    match Status::parse(&what) {
        None => counts.held_keys = messages,
        Some(Status::Pending) => {
            counts.pending = messages;
            let age = codec::get::<Option<i64>>(row, "age")?.map_or(Duration::ZERO, codec::until);
            counts.oldest_pending_seconds = Some(age.as_secs_f64());
        }
        Some(status) => (0..messages).for_each(|_| counts.count(status, Duration::ZERO)),
    }
    Ok(())
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
