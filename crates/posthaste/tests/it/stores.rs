//! The store suite on every store.

pub(crate) mod memory;
#[cfg(feature = "mongodb")]
pub(crate) mod mongodb;
pub(crate) mod sqlite;
