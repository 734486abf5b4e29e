//! What the errors of each driver mean for a caller.

/// The code of an error of our own: the server behind a pooler is not the one of before; see `sql/connection/same_server.sql`.
#[cfg(feature = "tokio-postgres")]
pub(super) const ANOTHER_SERVER: &str = "PH001";

#[cfg(feature = "sqlx-postgres")]
pub(crate) use self::sqlx::refused;

#[cfg(feature = "sqlx-postgres")]
mod sqlx;
#[cfg(feature = "tokio-postgres")]
mod tokio_postgres;
