//! The whole store at a glance.

use rusqlite::{Connection, named_params};

use super::report::worker_report;
use super::{codec, migrate, read};
use crate::error::Result;
use crate::inspect::{DestinationCounts, Overview, WorkerStatus};
use crate::journal::ParkedState;

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
        destinations: destinations(&snapshot, now)?,
        workers: workers(&snapshot, now)?,
        unheld_partitions,
    })
}

fn destinations(connection: &Connection, now: i64) -> Result<Vec<DestinationCounts>> {
    let mut statement = connection.prepare_cached(include_str!("overview_destinations.sql"))?;
    let named = statement.query_map([], |row| {
        Ok(DestinationCounts {
            destination: row.get(0)?,
            paused: row.get(1)?,
            held_keys: row.get(2)?,
            ..DestinationCounts::default()
        })
    })?;
    let mut counts = named.collect::<Result<Vec<_>, _>>()?;
    count_parked(connection, &mut counts)?;
    count_waiting(connection, &mut counts)?;
    count_pending(connection, now, &mut counts)?;
    Ok(counts)
}

/// The counts of a destination, unless it is no longer named.
fn of<'a>(counts: &'a mut [DestinationCounts], destination: &str) -> Option<&'a mut DestinationCounts> {
    counts.iter_mut().find(|counts| counts.destination == destination)
}

fn count_parked(connection: &Connection, counts: &mut [DestinationCounts]) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("overview_parked.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(counts) = of(counts, &row.get::<_, String>(0)?) else { continue };
        let count = row.get(2)?;
        match ParkedState::parse(&row.get::<_, String>(1)?) {
            Some(ParkedState::Retrying) => counts.retrying = count,
            Some(ParkedState::Scheduled) => counts.scheduled = count,
            Some(ParkedState::Throttled) => counts.throttled = count,
            Some(ParkedState::Dead) => counts.dead = count,
            Some(ParkedState::Replay) => counts.replay = count,
            Some(ParkedState::Discarded) | None => {}
        }
    }
    Ok(())
}

fn count_waiting(connection: &Connection, counts: &mut [DestinationCounts]) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("overview_waiting.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(counts) = of(counts, &row.get::<_, String>(0)?) {
            counts.waiting = row.get(1)?;
        }
    }
    Ok(())
}

fn count_pending(connection: &Connection, now: i64, counts: &mut [DestinationCounts]) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("overview_pending.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(counts) = of(counts, &row.get::<_, String>(0)?) {
            counts.pending = row.get(1)?;
            counts.oldest_pending_seconds = Some(codec::until(now, row.get(2)?).as_secs_f64());
        }
    }
    Ok(())
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
