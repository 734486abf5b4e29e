//! Where journals live. Each store implements `Journal` and `Inspect`, and lets an application write in its own transaction.

#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "mongodb")]
pub mod mongodb;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "memory", feature = "mongodb", feature = "postgres", feature = "sqlite"))]
mod telemetry;
