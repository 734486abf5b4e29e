//! The store suite on every store.

pub(crate) mod memory;
#[cfg(feature = "mongodb")]
pub(crate) mod mongodb;
#[cfg(feature = "mysql")]
pub(crate) mod mysql;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "postgres")]
mod postgres_faults;
pub(crate) mod sqlite;
