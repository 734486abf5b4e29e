//! The store suite on every store.

mod memory;
mod sqlite;
