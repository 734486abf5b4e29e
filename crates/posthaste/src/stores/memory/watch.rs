//! Noticing that something was written.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;

use super::{Memory, Shared};
use crate::error::Result;
use crate::journal::Hint;
use crate::store::Watch;

pub(super) fn watch(store: &Memory) -> Box<dyn Watch> {
    Box::new(Watcher { shared: Arc::clone(&store.shared), seen: 0 })
}

/// Remembers the change up to which it has answered.
#[derive(Debug)]
struct Watcher {
    shared: Arc<Shared>,
    seen: u64,
}

impl Watcher {
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
