//! The whole store at a glance.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;

use super::codec;
use super::report::worker_report;
use crate::error::Result;
use crate::inspect::{DestinationCounts, Figure, Overview, WorkerStatus};

pub(super) async fn overview(snapshot: &Transaction<'_>, partitions: u16) -> Result<Overview> {
    let statement = snapshot.prepare_cached(include_str!("overview_totals.sql")).await?;
    let totals = snapshot.query_one(&statement, &[]).await?;
    let unheld: i64 = totals.try_get(3)?;
    let workers = workers(snapshot).await?;
    Ok(Overview {
        partitions,
        messages: codec::unsigned(totals.try_get(0)?),
        newest: codec::position(totals.try_get(1)?, totals.try_get(2)?),
        destinations: destinations(snapshot).await?,
        workers,
        unheld_partitions: usize::try_from(unheld).unwrap_or(0),
        figures: figures(&totals)?,
    })
}

/// A transaction that is left open holds its own messages back and keeps all tables from being vacuumed. No message waits for its
/// tick while a relay is at work.
fn figures(totals: &Row) -> Result<Vec<Figure>> {
    Ok(vec![
        Figure { name: "oldest_transaction_seconds", value: totals.try_get(4)? },
        Figure { name: "ticks", value: totals.try_get(5)? },
        Figure { name: "tick_delay_seconds", value: totals.try_get(6)? },
    ])
}

/// What is exceptional is counted where it stands, what is pending from the slowest cursor on: not what is delivered.
async fn destinations(snapshot: &Transaction<'_>) -> Result<Vec<DestinationCounts>> {
    let statement = snapshot.prepare_cached(include_str!("overview_destinations.sql")).await?;
    let named = snapshot.query(&statement, &[]).await?;
    let mut counts: Vec<_> = named.iter().map(named_destination).collect::<Result<_>>()?;
    for sql in
        [include_str!("overview_parked.sql"), include_str!("overview_held_keys.sql"), include_str!("overview_held.sql")]
    {
        count(snapshot, sql, &mut counts).await?;
    }
    // Lanes and exceptions are few: hashed once, not looked up for each message. This is the last statement of the transaction.
    snapshot.batch_execute("SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off").await?;
    count(snapshot, include_str!("overview_pending.sql"), &mut counts).await?;
    Ok(counts)
}

async fn count(snapshot: &Transaction<'_>, sql: &str, counts: &mut [DestinationCounts]) -> Result<()> {
    let statement = snapshot.prepare_cached(sql).await?;
    for row in snapshot.query(&statement, &[]).await? {
        let destination: &str = row.try_get(0)?;
        if let Some(counts) = counts.iter_mut().find(|counts| counts.destination == destination) {
            add(counts, &row)?;
        }
    }
    Ok(())
}

fn named_destination(row: &Row) -> Result<DestinationCounts> {
    Ok(DestinationCounts { destination: row.try_get(0)?, paused: row.try_get(1)?, ..DestinationCounts::default() })
}

/// A row of what, how many, and for some the age of the oldest.
fn add(counts: &mut DestinationCounts, row: &Row) -> Result<()> {
    let number = codec::unsigned(row.try_get(2)?);
    match row.try_get(1)? {
        "pending" => {
            let age: Option<f64> = row.try_get(3)?;
            counts.pending += number;
            let oldest = counts.oldest_pending_seconds.into_iter().chain(age).fold(0.0, f64::max);
            counts.oldest_pending_seconds = (counts.pending > 0).then_some(oldest);
        }
        "held" => counts.held_keys = number,
        "waiting" => counts.waiting = number,
        "retrying" => counts.retrying = number,
        "scheduled" => counts.scheduled = number,
        "throttled" => counts.throttled = number,
        "dead" => counts.dead = number,
        "replay" => counts.replay = number,
        _ => {}
    }
    Ok(())
}

async fn workers(snapshot: &Transaction<'_>) -> Result<Vec<WorkerStatus>> {
    let statement = snapshot.prepare_cached(include_str!("overview_workers.sql")).await?;
    let rows = snapshot.query(&statement, &[]).await?;
    let worker = |row: &Row| {
        let partitions: i64 = row.try_get(3)?;
        Ok(WorkerStatus {
            worker: row.try_get(0)?,
            alive: row.try_get(1)?,
            report: worker_report(row.try_get(2)?),
            partitions: usize::try_from(partitions).unwrap_or(0),
        })
    };
    rows.iter().map(worker).collect()
}
