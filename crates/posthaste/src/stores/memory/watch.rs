//! Noticing that something was written.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;

use super::Shared;
use crate::error::Result;
use crate::journal::Hint;
use crate::store::Watch;

/// Remembers the change up to which it has answered.
#[derive(Debug)]
pub(super) struct Watcher {
    shared: Arc<Shared>,
    seen: u64,
}

impl Watcher {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, seen: 0 }
    }

    async fn changed(&mut self) {
        loop {
            let woken = self.shared.changed.notified();
            let changes = self.shared.changes.load(Ordering::Acquire);
            if std::mem::replace(&mut self.seen, changes) != changes {
                return;
            }
            woken.await;
        }
    }
}

#[async_trait]
impl Watch for Watcher {
    async fn wait(&mut self, timeout: Duration) -> Result<Hint> {
        match tokio::time::timeout(timeout, self.changed()).await {
            Ok(()) => Ok(Hint::Maybe),
            Err(_) => Ok(Hint::Nothing),
        }
    }
}
