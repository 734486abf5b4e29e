//! PostgreSQL for applications that only write: the features `tokio-postgres` and `sqlx-postgres` without the store itself.
//!
//! With feature `postgres` this module is the whole store, of which [`Outbox`] is a part.

#[cfg(feature = "sqlx-postgres")]
pub(crate) use self::error::refused;
#[cfg(feature = "tokio-postgres")]
pub use self::outbox::Connection;
pub use self::outbox::Outbox;
pub use self::schema::SCHEMA;

mod error;
mod outbox;
mod schema;
