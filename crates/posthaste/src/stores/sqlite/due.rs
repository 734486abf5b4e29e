//! Parked deliveries whose time has come.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::outbox::MESSAGE_COLUMNS;
use super::register::known;
use super::{Sqlite, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Due, DueBatch, Partition};
use crate::rules::due::due_in;
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn due(
    store: &Sqlite,
    destination: &Name,
    partitions: &[Partition],
    limit: usize,
) -> Result<DueBatch> {
    let (destination, partitions) = (destination.clone(), codec::json(partitions)?);
    store.reading(move |connection| batch(connection, &destination, &partitions, limit)).await
}

fn batch(connection: &Connection, destination: &Name, partitions: &str, limit: usize) -> Result<DueBatch> {
    // One snapshot, or what becomes due between the two statements is in neither answer.
    let snapshot = connection.unchecked_transaction()?;
    known(&snapshot, destination)?;
    let now = codec::now();
    let mut statement = snapshot.prepare_cached(with_columns!(MESSAGE_COLUMNS, "sql/due/due.sql"))?;
    let rows = statement.query(named_params! {
        ":destination": destination.as_str(),
        ":partitions": partitions,
        ":now": now,
        ":limit": values::signed(limit),
    })?;
    let deliveries = rows.and_then(|row| delivery(row, now)).collect::<Result<_>>()?;
    let mut statement = snapshot.prepare_cached(include_str!("sql/due/next.sql"))?;
    let next = named_params! { ":destination": destination.as_str(), ":partitions": partitions, ":now": now };
    let next: Option<i64> = statement.query_row(next, |row| row.get("due_at")).optional()?;
    Ok(DueBatch { deliveries, next_in: next.map(|at| due_in(at, now)) })
}

fn delivery(row: &Row<'_>, now: i64) -> Result<Due> {
    Ok(Due {
        entry: codec::entry(row, now)?,
        state: values::state(&codec::name(row, "state")?)?,
        holds: row.get("holds")?,
        attempts: row.get("attempts")?,
        suspicion: row.get("kills")?,
        progress: row.get("progress")?,
    })
}
