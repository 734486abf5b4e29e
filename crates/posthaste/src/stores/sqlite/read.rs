//! Reading on: the hot path.

use rusqlite::{Connection, named_params};

use super::outbox::MESSAGE_COLUMNS;
use super::{Sqlite, advance, codec, partitions};
use crate::error::Result;
use crate::journal::{Batch, Entry, Position, ReadRequest};
use crate::stores::statement::with_columns;
use crate::stores::values;

/// The longest stretch of the journal that one call reads, so that a lane that catches up alone among many partitions occupies no
/// connection for long.
const STRETCH: u64 = 50_000;

pub(super) async fn read(store: &Sqlite, request: &ReadRequest) -> Result<Batch> {
    let request = request.clone();
    store.reading(move |connection| batch(connection, &request)).await
}

fn batch(connection: &Connection, request: &ReadRequest) -> Result<Batch> {
    // Before the rows: everything up to here is visible to what follows, so it was all read when the rows come to an end.
    let stretch = Position::seq(request.after.seq.saturating_add(STRETCH));
    let end = advance::newest(connection)?.min(request.until).min(stretch).max(request.after);
    let now = codec::now();
    let mut statement = connection.prepare_cached(with_columns!(MESSAGE_COLUMNS, "sql/read.sql"))?;
    let mut rows = statement.query(named_params! {
        ":after": values::seq(request.after),
        ":until": values::seq(end),
        ":all": request.partitions.len() == usize::from(partitions::count(connection)?),
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
