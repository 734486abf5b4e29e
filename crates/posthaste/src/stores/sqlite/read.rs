//! Reading on: the hot path.

use rusqlite::{Connection, named_params};

use super::codec;
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, Entry, HeldKey, Partition, Position, ReadRequest};

/// Rows looked at in one call, so that a lane that catches up alone among many partitions occupies no connection for long.
const ROWS_PER_READ: usize = 50_000;

pub(super) fn newest(connection: &Connection) -> Result<Position> {
    let mut statement = connection.prepare_cached(include_str!("newest.sql"))?;
    Ok(codec::position(statement.query_row([], |row| row.get(0))?))
}

pub(super) fn read(connection: &Connection, request: &ReadRequest) -> Result<Batch> {
    // Before the rows: everything up to here is visible to what follows, and then it was all read if the rows come to an end.
    let newest = newest(connection)?;
    let now = codec::now();
    let wanted = Wanted::new(&request.partitions);
    let mut statement = connection.prepare_cached(include_str!("read.sql"))?;
    let span = named_params! { ":after": codec::seq(request.after), ":until": codec::seq(request.until) };
    let mut rows = statement.query(span)?;
    let (mut entries, mut bytes, mut looked_at) = (Vec::new(), 0, 0);
    let mut upto = request.after;
    while entries.len() < request.limit
        && (bytes < request.max_bytes || entries.is_empty())
        && looked_at < ROWS_PER_READ
    {
        let Some(row) = rows.next()? else {
            upto = upto.max(newest.min(request.until));
            break;
        };
        looked_at += 1;
        upto = codec::position(codec::seq_of(row)?);
        if wanted.has(codec::partition_of(row)?) {
            let entry = codec::entry(row, now)?;
            bytes += entry.message.weight();
            entries.push(entry);
        }
    }
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
        ":key": held.key.key,
        ":tenant": held.key.tenant,
        ":after": codec::seq(held.after),
        ":until": codec::seq(held.until),
        ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
    })?;
    rows.and_then(|row| codec::entry(row, now)).collect()
}

/// The partitions asked for, quick to look up.
struct Wanted(Vec<bool>);

impl Wanted {
    fn new(partitions: &[Partition]) -> Self {
        let mut wanted = vec![false; partitions.last().map_or(0, |&last| usize::from(last) + 1)];
        for &partition in partitions {
            wanted[usize::from(partition)] = true;
        }
        Self(wanted)
    }

    fn has(&self, partition: Partition) -> bool {
        self.0.get(usize::from(partition)).copied().unwrap_or(false)
    }
}
