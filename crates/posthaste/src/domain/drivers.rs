//! The domain kit on each driver.

#[cfg(feature = "postgres")]
pub(super) mod deadpool_postgres;
#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "rusqlite", feature = "sqlx-sqlite"))]
pub(super) mod sqlite;
#[cfg(feature = "sqlx-postgres")]
mod sqlx_postgres;
#[cfg(feature = "sqlx-sqlite")]
mod sqlx_sqlite;

/// As databases have numbers.
#[cfg(any(feature = "mongodb", feature = "postgres", feature = "rusqlite", feature = "sqlx-sqlite"))]
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
