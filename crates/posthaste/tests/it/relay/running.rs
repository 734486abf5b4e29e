//! A relay that runs while the test looks.

use std::sync::Arc;

use posthaste::destination::Destination;
use posthaste::relay::{DestinationSnapshot, Monitor, Settings};
use posthaste::sink::Sink;
use posthaste::store::Store;
use posthaste::{Relay, Result};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::outbox::DEADLINE;

pub(super) struct Running {
    monitor: Monitor,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<()>>,
}

impl Running {
    #[expect(clippy::disallowed_methods, reason = "an application would run its relay in a task of its own")]
    pub(super) fn start(
        store: Arc<dyn Store>,
        settings: Settings,
        destinations: Vec<(Destination, Arc<dyn Sink>)>,
    ) -> Self {
        let mut builder = Relay::builder(store).settings(settings);
        for (destination, sink) in destinations {
            builder = builder.destination(destination, sink);
        }
        let relay = builder.build();
        let monitor = relay.monitor();
        let (stop, stopped) = oneshot::channel();
        let until = async move { drop(stopped.await) };
        Self { monitor, stop, task: tokio::spawn(relay.run(until)) }
    }

    /// Partitions held.
    pub(super) fn partitions(&self) -> usize {
        self.monitor.snapshot().partitions
    }

    /// A destination as this worker sees it.
    pub(super) fn sees(&self, destination: &str) -> DestinationSnapshot {
        let seen = self.monitor.snapshot().destinations.into_iter().find(|seen| seen.name == destination);
        seen.unwrap_or_default()
    }

    /// Asks it to stop and waits until it has.
    pub(super) async fn stop(self) -> Result<()> {
        drop(self.stop);
        let stopped = tokio::time::timeout(DEADLINE, self.task).await.expect("the relay stops in time");
        stopped.expect("the relay does not panic")
    }

    /// Ends it without a word.
    pub(super) async fn kill(self) {
        self.task.abort();
        let ended = self.task.await;
        assert!(ended.is_err_and(|end| end.is_cancelled()), "the relay ran until it was killed");
    }
}
