//! Parked deliveries whose time has come.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::codec::{self, AFTER_MESSAGE};
use super::register::known;
use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::journal::{Due, DueBatch, ParkedState, Partition};

pub(super) fn due(
    connection: &Connection,
    destination: &Name,
    partitions: &[Partition],
    limit: usize,
) -> Result<DueBatch> {
    // One snapshot, or what becomes due between the two statements is in neither answer.
    let snapshot = connection.unchecked_transaction()?;
    known(&snapshot, destination)?;
    let now = codec::now();
    let partitions = codec::json(partitions)?;
    let mut statement = snapshot.prepare_cached(include_str!("due.sql"))?;
    let rows = statement.query(named_params! {
        ":destination": destination.as_str(),
        ":partitions": partitions,
        ":now": now,
        ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
    })?;
    let deliveries = rows.and_then(|row| delivery(row, now)).collect::<Result<_>>()?;
    let mut statement = snapshot.prepare_cached(include_str!("due_next.sql"))?;
    let next = named_params! { ":destination": destination.as_str(), ":partitions": partitions, ":now": now };
    let next: Option<i64> = statement.query_row(next, |row| row.get(0)).optional()?;
    Ok(DueBatch { deliveries, next_in: next.map(|at| codec::until(at, now)) })
}

fn delivery(row: &Row<'_>, now: i64) -> Result<Due> {
    Ok(Due {
        entry: codec::entry(row, now)?,
        state: state(&row.get::<_, String>(AFTER_MESSAGE)?)?,
        holds: row.get(AFTER_MESSAGE + 1)?,
        attempts: row.get(AFTER_MESSAGE + 2)?,
        kills: row.get(AFTER_MESSAGE + 3)?,
        progress: row.get(AFTER_MESSAGE + 4)?,
    })
}

fn state(text: &str) -> Result<ParkedState> {
    ParkedState::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery is parked as `{text}`")))
}
