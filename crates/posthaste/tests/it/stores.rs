//! The store suite on every store.

pub(crate) mod memory;
pub(crate) mod sqlite;
