//! What the errors of each driver mean for a caller.

#[cfg(feature = "sqlx-postgres")]
pub(crate) use self::sqlx::refused;

#[cfg(feature = "postgres")]
mod deadpool_postgres;
#[cfg(feature = "sqlx-postgres")]
mod sqlx;
#[cfg(feature = "tokio-postgres")]
mod tokio_postgres;
