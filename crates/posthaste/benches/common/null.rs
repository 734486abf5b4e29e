//! A sink that forgets, and a relay that drains into it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use posthaste::relay::Settings;
use posthaste::sink::{self, Outcome, Outcomes, Run, Sink};
use posthaste::store::Store;
use posthaste::{Destination, Relay};
use tokio::sync::Notify;

/// Counts and forgets.
#[derive(Debug)]
struct Null {
    left: AtomicUsize,
    done: Notify,
}

impl Null {
    fn forget(&self, run: &Run) -> Outcome {
        if self.left.fetch_sub(run.deliveries.len(), Ordering::Relaxed) == run.deliveries.len() {
            self.done.notify_one();
        }
        Outcome::delivered(run)
    }
}

#[async_trait]
impl Sink for Null {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.forget(run)
    }

    fn runs_at_once(&self) -> usize {
        1_000
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        for (nth, run) in runs.iter().enumerate() {
            outcomes.answer(nth, self.forget(run));
        }
    }

    async fn check(&self) -> Result<(), sink::Error> {
        Ok(())
    }
}

/// From the start of a relay to its clean end, with everything delivered and recorded.
pub(crate) async fn drain(store: impl Store + 'static, messages: usize, settings: Settings) {
    let sink = Arc::new(Null { left: AtomicUsize::new(messages), done: Notify::new() });
    let relay = Relay::builder(Arc::new(store))
        .settings(Settings { retention: None, ..settings })
        .destination(Destination::new("null"), sink.clone())
        .build();
    relay.run(async move { sink.done.notified().await }).await.expect("a clean end");
}
