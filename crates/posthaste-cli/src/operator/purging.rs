//! Removing old messages that are delivered.

use std::time::Duration;

use super::Operator;
use crate::exit::Misuse;

/// Messages per transaction of a purge: short enough that writers hardly notice.
const PURGE_BATCH: usize = 5_000;

impl Operator {
    /// How old a message must be to be purged: as asked for, or as the config says.
    pub fn purge_age(&self, asked: Option<Duration>) -> Result<Duration, Misuse> {
        asked.or(self.retention).ok_or_else(|| {
            let text = "the config keeps messages forever: say which ones to remove with --older-than, such as --older-than 30d";
            Misuse(text.into())
        })
    }

    pub async fn purgeable(&self, older_than: Duration) -> posthaste::Result<u64> {
        self.store.purgeable(older_than).await
    }

    /// Removes old delivered messages, and says after each step how many are gone so far.
    pub async fn purge(&self, who: &str, older_than: Duration, step: impl Fn(u64)) -> posthaste::Result<u64> {
        let mut removed = 0;
        loop {
            let purged = self.store.purge(older_than, PURGE_BATCH).await?;
            removed += purged.messages;
            if !purged.more {
                break;
            }
            step(removed);
        }
        let target = format!("delivered messages older than {}", posthaste::duration::brief(older_than));
        self.record(who, "purge", target, removed).await?;
        Ok(removed)
    }
}
