//! The newest position. A row has its place as soon as it is committed, so there is nothing to do for it.

use rusqlite::Connection;

use super::Sqlite;
use crate::error::Result;
use crate::journal::Position;
use crate::stores::values;

pub(super) async fn advance(store: &Sqlite) -> Result<Position> {
    store.reading(newest).await
}

pub(super) fn newest(connection: &Connection) -> Result<Position> {
    let mut statement = connection.prepare_cached(include_str!("sql/advance.sql"))?;
    Ok(values::position(statement.query_row([], |row| row.get("newest"))?))
}
