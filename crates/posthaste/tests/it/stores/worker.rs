//! A relay that runs while the test goes on.

use std::sync::Arc;
use std::time::Duration;

use posthaste::journal::WorkerId;
use posthaste::relay::Settings;
use posthaste::store::Store;
use posthaste::{Destination, Relay, Result};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::ledger::{DEADLINE, Ledger};

pub(super) struct Worker {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<()>>,
}

impl Worker {
    #[expect(clippy::disallowed_methods, reason = "an application would run its relay in a task of its own")]
    pub(super) fn start(name: &str, store: impl Store + 'static, ledger: &Ledger) -> Self {
        let settings = Settings {
            worker: WorkerId(name.into()),
            lease_ttl: Duration::from_secs(5),
            retention: None,
            ..Settings::default()
        };
        let relay = Relay::builder(Arc::new(store))
            .settings(settings)
            .destination(Destination::new("ledger"), Arc::new(ledger.clone()))
            .build();
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(relay.run(async move { drop(stopped.await) })) }
    }

    /// Asks it to stop and waits until it has, in good order.
    pub(super) async fn stop(self) {
        drop(self.stop);
        let stopped = tokio::time::timeout(DEADLINE, self.task).await.expect("the relay stops in time");
        stopped.expect("the relay does not panic").expect("the relay ends well");
    }
}
