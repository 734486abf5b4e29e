//! The domain kit on each driver.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
pub(super) mod sqlite;
#[cfg(feature = "sqlx-postgres")]
mod sqlx_postgres;
#[cfg(feature = "sqlx-sqlite")]
mod sqlx_sqlite;
