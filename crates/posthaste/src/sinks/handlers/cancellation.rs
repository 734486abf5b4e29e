//! Whether somebody still waits for a handler.

use tokio::sync::watch;

/// Tells work that a handler has started elsewhere (a blocking thread, a task) that nobody waits for it any more: the call is
/// over, its time is up, or the lease is lost and another worker may be at it. The handler's own future is simply dropped then.
#[derive(Debug, Clone)]
pub struct Cancellation(watch::Receiver<()>);

/// The call; dropping it cancels.
#[derive(Debug)]
pub(super) struct Guard(#[expect(dead_code, reason = "being dropped is its purpose")] watch::Sender<()>);

impl Cancellation {
    pub(super) fn new() -> (Guard, Self) {
        let (sender, receiver) = watch::channel(());
        (Guard(sender), Self(receiver))
    }

    /// Whether nobody waits any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.has_changed().is_err()
    }

    /// Returns when nobody waits any more.
    pub async fn cancelled(mut self) {
        while self.0.changed().await.is_ok() {}
    }
}
