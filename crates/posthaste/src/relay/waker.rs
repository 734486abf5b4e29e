//! The fast path of an application that runs its own relay.

use std::sync::Arc;

use tokio::sync::Notify;

/// Tells a relay in this process that something was committed, so that it looks at once. Only a hint: without it, and in other
/// processes, relays find out by themselves. Cheap to clone; does nothing while the relay does not run.
#[derive(Debug, Clone, Default)]
pub struct Waker(Arc<Notify>);

impl Waker {
    /// Call it after the commit. Never blocks; many calls while the relay is busy count as one.
    pub fn wake(&self) {
        self.0.notify_one();
    }

    pub(super) async fn woken(&self) {
        self.0.notified().await;
    }
}
