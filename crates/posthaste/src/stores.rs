//! Where journals live. Each store implements `Journal` and `Inspect`, and lets an application write in its own transaction.

#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "sqlite")]
pub mod sqlite;

/// What an enqueue did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Enqueued {
    /// Messages written.
    pub stored: u64,
    /// Messages whose origin was written before, quietly left out.
    pub duplicates: u64,
}
