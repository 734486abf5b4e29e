//! The settings of a worker. Every default is one that the documents' examples run well with.

use std::time::Duration;

use crate::journal::WorkerId;

/// How a worker behaves, over all destinations.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub worker: WorkerId,
    /// How long a partition stays with a worker that says nothing.
    pub lease_ttl: Duration,
    /// Between two looks for new messages when idle; when busy it looks at once.
    pub poll_interval: Duration,
    /// Messages read ahead per lane.
    pub window_messages: usize,
    /// Bytes read ahead per destination.
    pub window_bytes: usize,
    /// Messages per read.
    pub read_batch: usize,
    /// Settlements are recorded together, at the latest after this long …
    pub commit_interval: Duration,
    /// … or when so many have gathered.
    pub commit_batch: usize,
    /// Keys that may be held per lane before the lane stops walking.
    pub max_held_keys: usize,
    /// Wait before starting, so that an application can come up first.
    pub start_delay: Duration,
    /// How long a graceful stop waits for what is in flight.
    pub stop_timeout: Duration,
    /// Delivered messages older than this are removed; `None` keeps them.
    pub retention: Option<Duration>,
    /// Between two purges.
    pub purge_interval: Duration,
    pub purge_on_start: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            worker: WorkerId(default_worker_name()),
            lease_ttl: Duration::from_secs(15),
            poll_interval: Duration::from_millis(150),
            window_messages: 1_000,
            window_bytes: 16 << 20,
            read_batch: 1_000,
            commit_interval: Duration::from_millis(5),
            commit_batch: 1_000,
            max_held_keys: 10_000,
            start_delay: Duration::ZERO,
            stop_timeout: Duration::from_secs(10),
            retention: Some(Duration::from_secs(7 * 24 * 3600)),
            purge_interval: Duration::from_secs(60),
            purge_on_start: false,
        }
    }
}

/// `hostname-pid` and a random suffix, so that a restarted container is not taken for the one before.
fn default_worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "worker",
        name => name,
    };
    let suffix = uuid::Uuid::now_v7().simple().to_string();
    format!("{host}-{}-{}", std::process::id(), &suffix[suffix.len() - 6..])
}
