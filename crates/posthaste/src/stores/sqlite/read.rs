//! Reading on: the hot path.

use rusqlite::{Connection, named_params};

use super::{codec, migrate};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Entry, HeldKey, Partition, Position, ReadRequest};

/// The longest stretch of the journal looked at in one call, so that a lane that catches up alone among many partitions
/// occupies no connection for long.
const STRETCH: u64 = 50_000;

pub(super) fn newest(connection: &Connection) -> Result<Position> {
    let mut statement = connection.prepare_cached(include_str!("newest.sql"))?;
    Ok(codec::position(statement.query_row([], |row| row.get(0))?))
}

pub(super) fn read(connection: &Connection, request: &ReadRequest) -> Result<Batch> {
    // Before the rows: everything up to here is visible to what follows, so it was all read when the rows come to an end.
    let stretch = Position::seq(request.after.seq.saturating_add(STRETCH));
    let end = newest(connection)?.min(request.until).min(stretch).max(request.after);
    let now = codec::now();
    let mut statement = connection.prepare_cached(include_str!("read.sql"))?;
    let mut rows = statement.query(named_params! {
        ":after": codec::seq(request.after),
        ":until": codec::seq(end),
        ":all": request.partitions.len() == usize::from(migrate::partitions(connection)?),
        ":partitions": codec::json(&request.partitions)?,
    })?;
    let (mut entries, mut bytes): (Vec<Entry>, usize) = (Vec::new(), 0);
    while entries.len() < request.limit && (bytes < request.max_bytes || entries.is_empty()) {
        let Some(row) = rows.next()? else { return Ok(Batch { entries, upto: end }) };
        let entry = codec::entry(row, now)?;
        bytes += entry.message.weight();
        entries.push(entry);
    }
    let upto = entries.last().map_or(request.after, |entry| entry.position);
    Ok(Batch { entries, upto })
}

pub(super) fn read_key(
    connection: &Connection,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let now = codec::now();
    let mut statement = connection.prepare_cached(include_str!("read_key.sql"))?;
    let rows = statement.query(named_params! {
        ":destination": destination.as_str(),
        ":partition": partition,
        ":key": held.key.key.as_str(),
        ":tenant": held.key.tenant.as_deref(),
        ":after": codec::seq(held.after),
        ":until": codec::seq(held.until),
        ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
    })?;
    rows.and_then(|row| codec::entry(row, now)).collect()
}
