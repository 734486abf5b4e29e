//! Counts of the whole store.

use tokio_postgres::Row;

use super::session::{Params, Statements, Transaction};
use super::{Postgres, codec, partitions, sources};
use crate::error::Result;
use crate::inspect::{DestinationCounts, Figure, Overview, WorkerStatus};
use crate::stores::values::{paused_tenants, unsigned, worker_report};

pub(super) async fn overview(store: &Postgres) -> Result<Overview> {
    let mut client = store.client().await?;
    let partitions = partitions::known(store, &client).await?;
    let snapshot = client.snapshot().await?;
    let totals = snapshot.query_one(include_str!("sql/overview/totals.sql"), &[]).await?;
    let unheld: i64 = totals.try_get("unheld_partitions")?;
    let workers = workers(&snapshot).await?;
    Ok(Overview {
        partitions,
        messages: unsigned(totals.try_get("messages")?),
        newest: codec::position(totals.try_get("n")?, totals.try_get("end_seq")?),
        destinations: destinations(&snapshot).await?,
        workers,
        unheld_partitions: usize::try_from(unheld).unwrap_or(0),
        sources: sources::find(&snapshot, None).await?,
        figures: figures(&totals)?,
    })
}

/// A transaction that is left open holds its own messages back and keeps all tables from being vacuumed. No message waits for its
/// tick while a relay is at work.
fn figures(totals: &Row) -> Result<Vec<Figure>> {
    let figure = |name| Ok(Figure { name, value: totals.try_get(name)? });
    ["oldest_transaction_seconds", "ticks", "tick_delay_seconds", "failovers"].into_iter().map(figure).collect()
}

/// Messages that are read to count what is pending, all destinations together: all of them up to here, and some beyond.
const PENDING_READ: i64 = 40_000;

/// Held keys of a destination that are looked at for what waits behind them, and messages of all of them together.
const KEYS_READ: i64 = 500;
const WAITING_READ: i64 = 20_000;

/// What is exceptional is counted where it stands, what is pending from the slowest cursor on. What is delivered is not counted.
async fn destinations(snapshot: &Transaction<'_>) -> Result<Vec<DestinationCounts>> {
    let named = snapshot.query(include_str!("sql/overview/destinations.sql"), &[]).await?;
    let mut counts: Vec<_> = named.iter().map(named_destination).collect::<Result<_>>()?;
    // Exceptions are all read, and sorting a million of them would take longer than that.
    snapshot.batch_execute("SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = off").await?;
    count(snapshot, include_str!("sql/overview/parked.sql"), &[], &mut counts).await?;
    count(snapshot, include_str!("sql/overview/held_keys.sql"), &[], &mut counts).await?;
    snapshot.batch_execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = on").await?;
    count(snapshot, include_str!("sql/overview/waiting.sql"), &[&KEYS_READ, &WAITING_READ], &mut counts).await?;
    // Lanes and exceptions are few: hashed once, not looked up for each message. This is the last statement of the transaction.
    snapshot.batch_execute("SET LOCAL enable_hashjoin = on").await?;
    count(snapshot, include_str!("sql/overview/pending.sql"), &[&PENDING_READ], &mut counts).await?;
    Ok(counts)
}

async fn count(
    snapshot: &Transaction<'_>,
    sql: &str,
    params: Params<'_>,
    counts: &mut [DestinationCounts],
) -> Result<()> {
    for row in snapshot.query(sql, params).await? {
        let destination: &str = row.try_get("destination")?;
        if let Some(counts) = counts.iter_mut().find(|counts| counts.destination == destination) {
            add(counts, &row)?;
        }
    }
    Ok(())
}

fn named_destination(row: &Row) -> Result<DestinationCounts> {
    let (destination, paused) = (row.try_get("name")?, row.try_get("paused")?);
    let paused_tenants = paused_tenants(row.try_get("paused_tenants")?)?;
    Ok(DestinationCounts { destination, paused, paused_tenants, ..DestinationCounts::default() })
}

/// A row of what and how many.
fn add(counts: &mut DestinationCounts, row: &Row) -> Result<()> {
    let number = unsigned(row.try_get("messages")?);
    match row.try_get("what")? {
        "pending" => return add_pending(counts, row, number),
        "waiting" => return add_waiting(counts, row, number),
        "held" => counts.held_keys = number,
        "retrying" => counts.retrying = number,
        "scheduled" => counts.scheduled = number,
        "throttled" => counts.throttled = number,
        "paused" => counts.paused_deliveries = number,
        "awaiting" => counts.awaiting = number,
        "dead" => counts.dead = number,
        "replay" => counts.replay = number,
        _ => {}
    }
    Ok(())
}

fn add_pending(counts: &mut DestinationCounts, row: &Row, number: u64) -> Result<()> {
    let oldest: Option<f64> = row.try_get("oldest_seconds")?;
    counts.pending = number;
    counts.oldest_pending_seconds = oldest.map(|seconds| seconds.max(0.0));
    counts.estimated |= row.try_get::<_, bool>("estimated")?;
    Ok(())
}

/// Behind keys that were not looked at there is as much as behind those that were.
fn add_waiting(counts: &mut DestinationCounts, row: &Row, number: u64) -> Result<()> {
    let keys = unsigned(row.try_get("keys")?).max(1);
    let all = counts.held_keys > keys;
    counts.waiting = if all { number.saturating_mul(counts.held_keys) / keys } else { number };
    counts.estimated |= all || row.try_get::<_, bool>("estimated")?;
    Ok(())
}

async fn workers(snapshot: &Transaction<'_>) -> Result<Vec<WorkerStatus>> {
    let rows = snapshot.query(include_str!("sql/overview/workers.sql"), &[]).await?;
    rows.iter().map(worker).collect()
}

fn worker(row: &Row) -> Result<WorkerStatus> {
    let partitions: i64 = row.try_get("partitions")?;
    Ok(WorkerStatus {
        worker: row.try_get("worker")?,
        alive: row.try_get("alive")?,
        report: worker_report(row.try_get("report")?),
        partitions: usize::try_from(partitions).unwrap_or(0),
    })
}
