//! The settings of a worker. Every default is one that the documents' examples run well with.

use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::journal::WorkerId;

/// Renewals need some time on their way.
const SHORTEST_LEASE: Duration = Duration::from_millis(100);

/// How a worker behaves, over all destinations.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What the worker is called; no two of them may have one name.
    pub worker: WorkerId,
    /// How long a partition stays with a worker that says nothing.
    pub lease_ttl: Duration,
    /// How often an idle worker asks for new messages; a busy one asks at once.
    pub poll_interval: Duration,
    /// Messages read ahead per lane.
    pub window_messages: usize,
    /// Bytes read ahead per destination; more than four destinations share what four may have.
    pub window_bytes: usize,
    /// Messages per read; less for each of more than four destinations.
    pub read_batch: usize,
    /// Settlements are recorded together, at the latest after this long …
    pub commit_interval: Duration,
    /// … or when so many have gathered.
    pub commit_batch: usize,
    /// Keys that may be held per lane before the lane stops reading.
    pub max_held_keys: usize,
    /// So many workers in a row may die while they deliver a message alone; then it is dead. It is tried alone after two deaths that
    /// make it a suspect.
    pub max_worker_deaths: u32,
    /// Wait before starting, so that an application can come up first.
    pub start_delay: Duration,
    /// How long a graceful stop waits for what is in flight.
    pub stop_timeout: Duration,
    /// Delivered messages older than this are removed; `None` keeps them.
    pub retention: Option<Duration>,
    /// Between two purges.
    pub purge_interval: Duration,
    /// Whether the first purge comes at the start and not after an interval.
    pub purge_on_start: bool,
}

/// Longer than any deployment lives, and short enough for sums of instants.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Settings {
    /// Whether a worker can run with these; says what to change.
    pub(crate) fn check(&self) -> Result<()> {
        let counts = [
            ("window_messages", self.window_messages),
            ("window_bytes", self.window_bytes),
            ("read_batch", self.read_batch),
            ("commit_batch", self.commit_batch),
            ("max_worker_deaths", self.max_worker_deaths as usize),
        ];
        if let Some((setting, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(Error::new(Kind::Invalid, format!("{setting} must be at least 1")));
        }
        let spans = [
            ("lease_ttl", self.lease_ttl),
            ("poll_interval", self.poll_interval),
            ("commit_interval", self.commit_interval),
            ("start_delay", self.start_delay),
            ("stop_timeout", self.stop_timeout),
            ("purge_interval", self.purge_interval),
        ];
        if let Some((setting, _)) = spans.into_iter().find(|(_, span)| *span > LONGEST) {
            return Err(Error::new(Kind::Invalid, format!("{setting} must be less than 100 years")));
        }
        if self.lease_ttl < SHORTEST_LEASE {
            return Err(Error::new(Kind::Invalid, format!("lease_ttl must be at least {SHORTEST_LEASE:?}")));
        }
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            worker: WorkerId::of_this_process(),
            lease_ttl: Duration::from_secs(15),
            poll_interval: Duration::from_millis(150),
            window_messages: 1_000,
            window_bytes: 16 << 20,
            read_batch: 4_000,
            commit_interval: Duration::from_millis(5),
            commit_batch: 1_000,
            max_held_keys: 10_000,
            max_worker_deaths: 5,
            start_delay: Duration::ZERO,
            stop_timeout: Duration::from_secs(10),
            retention: Some(Duration::from_secs(7 * 24 * 3600)),
            purge_interval: Duration::from_secs(60),
            purge_on_start: false,
        }
    }
}
