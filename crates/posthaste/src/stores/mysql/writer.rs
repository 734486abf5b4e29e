//! MySQL and MariaDB for applications that only write: the features `mysql_async` and `sqlx-mysql` without the store itself.
//!
//! With feature `mysql` this module is the whole store, of which [`Outbox`] is a part.

#[cfg(feature = "sqlx-mysql")]
pub(crate) use self::error::sqlx as sqlx_error;
pub use self::outbox::Outbox;

mod error;
mod outbox;
