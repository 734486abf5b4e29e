//! The watcher beside a relay, if the config has someone to tell.

use std::sync::Arc;

use posthaste::store::Store;
use tokio::task::JoinHandle;

use crate::config::Plan;

/// Runs in a task of its own, so that nothing of the relay waits for it; ends when dropped.
pub struct Notices(Option<JoinHandle<()>>);

impl Notices {
    #[expect(clippy::disallowed_methods, reason = "it ends with the relay that it watches")]
    pub fn start(plan: &Plan, store: &Arc<dyn Store>) -> Self {
        let settings = plan.notify.clone();
        Self(settings.map(|settings| tokio::spawn(posthaste::notify::watch(store.clone(), settings))))
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}
