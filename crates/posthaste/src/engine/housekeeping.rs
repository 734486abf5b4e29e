//! Removing old messages.

use std::time::Duration;

use crate::engine::protocol::StoreCall;
use crate::journal::{Partition, Purged};
use crate::settings::Settings;

/// Whoever holds this partition removes old messages.
pub(super) const PARTITION: Partition = Partition::new(0);
/// How many messages one purge removes before others get their turn.
const LIMIT: usize = 1_000;

/// When to remove old messages.
#[derive(Debug)]
pub(super) struct Housekeeping {
    retention: Option<Duration>,
    interval: Duration,
    at: Duration,
    under_way: bool,
}

impl Housekeeping {
    /// Without a retention, nothing is ever removed.
    pub(super) fn new(settings: &Settings) -> Self {
        let at = if settings.purge_on_start { Duration::ZERO } else { settings.purge_interval };
        Self { retention: settings.retention, interval: settings.purge_interval, at, under_way: false }
    }

    /// When to purge next.
    pub(super) fn wake_at(&self) -> Option<Duration> {
        self.retention.filter(|_| !self.under_way).map(|_| self.at)
    }

    /// What to ask the store for, if it is time.
    pub(super) fn plan(&mut self, now: Duration) -> Option<StoreCall> {
        let older_than = self.retention.filter(|_| !self.under_way && now >= self.at)?;
        self.under_way = true;
        Some(StoreCall::Purge { older_than, limit: LIMIT })
    }

    /// A purge has ended; `None` if it failed.
    pub(super) fn purged(&mut self, now: Duration, purged: Option<Purged>) {
        self.under_way = false;
        let again = purged.is_some_and(|purged| purged.more);
        self.at = if again { now } else { now + self.interval };
    }
}
