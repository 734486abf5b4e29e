//! Reading what waits behind a held key.

use rusqlite::{Connection, named_params};

use super::outbox::MESSAGE_COLUMNS;
use super::{Sqlite, codec};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{Batch, HeldKey, Partition};
use crate::stores::statement::with_columns;
use crate::stores::values;

pub(super) async fn read_key(
    store: &Sqlite,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Batch> {
    let (destination, held) = (destination.clone(), held.clone());
    store.reading(move |connection| entries(connection, &destination, partition, &held, limit)).await
}

fn entries(
    connection: &Connection,
    destination: &Name,
    partition: Partition,
    held: &HeldKey,
    limit: usize,
) -> Result<Batch> {
    let now = codec::now();
    let mut statement = connection.prepare_cached(with_columns!(MESSAGE_COLUMNS, "sql/read_key.sql"))?;
    let rows = statement.query(named_params! {
        ":destination": destination.as_str(),
        ":partition": partition,
        ":key": held.key.key.as_str(),
        ":tenant": held.key.tenant.as_deref(),
        ":after": values::seq(held.after),
        ":until": values::seq(held.until),
        ":limit": values::signed(limit),
    })?;
    let entries = rows.and_then(|row| codec::entry(row, now)).collect::<Result<_>>()?;
    Ok(Batch::limited(entries, limit, held.until))
}
