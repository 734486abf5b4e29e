//! SQLite for applications that only write: the features `rusqlite` and `sqlx-sqlite` without the store itself.
//!
//! With feature `sqlite` this module is the whole store, of which [`Outbox`] is a part.

#[cfg(feature = "rusqlite")]
pub use self::connection::connect;
#[cfg(feature = "sqlx-sqlite")]
pub(crate) use self::error::sqlx as sqlx_error;
#[cfg(feature = "rusqlite")]
pub use self::options::Options;
pub use self::outbox::Outbox;

#[cfg(feature = "rusqlite")]
mod connection;
mod error;
#[cfg(feature = "rusqlite")]
mod options;
mod outbox;
mod partitions;
