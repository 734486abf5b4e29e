//! What a journal says about itself, whoever asks: the store, or an application that writes.

#[cfg(feature = "rusqlite")]
use rusqlite::{Connection, OptionalExtension};

#[cfg(feature = "sqlite")]
use super::Sqlite;
use super::error;
use crate::error::Result;
use crate::stores::version;

/// The version of the journal that this library makes and uses.
pub(super) const VERSION: i64 = 6;

/// The number of partitions, which the first migration has fixed.
#[cfg(feature = "sqlite")]
pub(super) async fn partitions(store: &Sqlite) -> Result<u16> {
    store.reading(count).await
}

/// The one row that a journal has about itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) version: i64,
    partitions: u16,
}

impl Found {
    /// The number of partitions, if this library can use the journal.
    fn usable(self) -> Result<u16> {
        version::usable(self.version, VERSION)?;
        Ok(self.partitions)
    }
}

/// Whatever version there is.
#[cfg(feature = "rusqlite")]
pub(super) fn found(connection: &Connection) -> Result<Found> {
    let mut statement = connection.prepare_cached(include_str!("sql/partitions.sql"))?;
    let found =
        statement.query_row([], |row| Ok(Found { version: row.get("version")?, partitions: row.get("partitions")? }));
    found.optional()?.ok_or_else(error::no_journal)
}

/// The number of partitions of a journal of the right version.
#[cfg(feature = "rusqlite")]
pub(super) fn count(connection: &Connection) -> Result<u16> {
    found(connection)?.usable()
}

/// As [`count`], on a connection of sqlx.
#[cfg(feature = "sqlx-sqlite")]
pub(super) async fn count_sqlx(connection: &mut sqlx::SqliteConnection) -> Result<u16> {
    use sqlx::Row;

    let found =
        sqlx::query(include_str!("sql/partitions.sql")).fetch_optional(connection).await.map_err(error::sqlx)?;
    let row = found.ok_or_else(error::no_journal)?;
    let (version, partitions) = (row.try_get("version"), row.try_get("partitions"));
    Found { version: version.map_err(error::sqlx)?, partitions: partitions.map_err(error::sqlx)? }.usable()
}
