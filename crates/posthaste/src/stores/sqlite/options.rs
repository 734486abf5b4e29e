//! How a database file is used.

use std::time::Duration;

use crate::journal::PARTITIONS;

/// How to use a database file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits while another process writes.
    pub busy_timeout: Duration,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    pub partitions: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), partitions: PARTITIONS }
    }
}
