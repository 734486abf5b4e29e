//! The domain kit on each driver.

#[cfg(feature = "postgres")]
pub(super) mod deadpool_postgres;
#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(any(feature = "mysql_async", feature = "sqlx-mysql"))]
mod mysql;
#[cfg(feature = "mysql_async")]
mod mysql_async;
#[cfg(any(feature = "tokio-postgres", feature = "sqlx-postgres"))]
mod postgres;
#[cfg(any(feature = "rusqlite", feature = "sqlx-sqlite"))]
pub(super) mod sqlite;
#[cfg(feature = "sqlx-mysql")]
mod sqlx_mysql;
#[cfg(feature = "sqlx-postgres")]
mod sqlx_postgres;
#[cfg(feature = "sqlx-sqlite")]
mod sqlx_sqlite;
#[cfg(feature = "tokio-postgres")]
mod tokio_postgres;

/// As databases have numbers.
#[cfg(any(
    feature = "mongodb",
    feature = "mysql_async",
    feature = "sqlx-mysql",
    feature = "tokio-postgres",
    feature = "sqlx-postgres",
    feature = "rusqlite",
    feature = "sqlx-sqlite"
))]
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What comes before the name of a table in this schema, quoted; nothing without one.
#[cfg(any(feature = "tokio-postgres", feature = "sqlx-postgres", feature = "rusqlite", feature = "sqlx-sqlite"))]
fn schema_prefix(schema: Option<&str>) -> String {
    schema.map_or_else(String::new, |schema| format!("\"{}\".", schema.replace('"', "\"\"")))
}
