//! Runs on their way to sinks.
//!
//! A run is looked at once where it is: a sink that answers in memory, or only had to put bytes into a buffer, is done then,
//! without a task, a channel or another thread. A run that takes longer gets a task of its own, so that nobody waits for it.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tracing::Instrument;

use super::telemetry::{self, Monitor, Spans, Tracer};
use crate::crash_point::crash_point;
use crate::engine::{Input, RunId};
use crate::sink::{self, Outcome, Run, Sink};

/// A run to be handed over.
#[derive(Debug)]
pub(super) struct HandOver {
    pub(super) walk: usize,
    pub(super) id: RunId,
    pub(super) run: Run,
    pub(super) sink: Arc<dyn Sink>,
    pub(super) timeout: Duration,
    pub(super) not_after: Instant,
}

/// Hand-overs that take time, each in a task of its own.
#[derive(Debug)]
pub(super) struct UnderWay {
    tasks: HashMap<RunId, AbortHandle>,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
}

impl UnderWay {
    pub(super) fn new(monitor: Monitor, tracer: Option<Arc<dyn Tracer>>) -> Self {
        Self { tasks: HashMap::new(), monitor, tracer }
    }

    /// Hands a run over. Returns the answer if there is one at once; otherwise it comes through `inbox`.
    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    pub(super) fn start(&mut self, hand_over: HandOver, inbox: &mpsc::Sender<Input>) -> Option<Input> {
        let HandOver { walk, id, run, sink, timeout, not_after } = hand_over;
        let answered = move |outcome, took| Input::Delivered { walk, id, outcome, took };
        // Read before every single one, because a process may freeze between any two.
        let now = Instant::now();
        if now >= not_after {
            return Some(Input::Withheld { walk, id });
        }
        let span = telemetry::span(&run);
        let mut delivery = Box::pin(deliver(sink, run, self.tracer.clone()).instrument(span));
        match delivery.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Some(answered(outcome, Duration::ZERO)),
            Poll::Pending => {
                let (inbox, monitor) = (inbox.clone(), self.monitor.clone());
                let task = tokio::spawn(async move {
                    let late = || {
                        monitor.count().possible_duplicates.timeout += 1;
                        Outcome::stopped(0, sink::Error::retry(format!("no answer within {timeout:?}")))
                    };
                    let outcome = tokio::time::timeout(timeout, delivery).await.unwrap_or_else(|_| late());
                    // The inbox is closed only when the worker is gone, and then nobody asks.
                    drop(inbox.send(answered(outcome, now.elapsed())).await);
                });
                self.tasks.insert(id, task.abort_handle());
                None
            }
        }
    }

    /// The engine has the answer.
    pub(super) fn answered(&mut self, id: RunId) {
        self.tasks.remove(&id);
    }

    /// Nobody waits for these any more.
    pub(super) fn cancel(&mut self, ids: &[RunId]) {
        for task in ids.iter().filter_map(|id| self.tasks.remove(id)) {
            task.abort();
            self.monitor.count().possible_duplicates.cancelled += 1;
        }
    }
}

/// A relay whose future is dropped loses its leases some time later; nothing it handed over may outlast them.
impl Drop for UnderWay {
    fn drop(&mut self) {
        self.tasks.values().for_each(AbortHandle::abort);
    }
}

/// Gives a run to its sink. A panic is a failure like others, be it in the call or in the future that it returned.
async fn deliver(sink: Arc<dyn Sink>, mut run: Run, tracer: Option<Arc<dyn Tracer>>) -> Outcome {
    telemetry::log_start(&run);
    let spans = Spans::begin(tracer.as_deref(), &mut run);
    let delivery = AssertUnwindSafe(async { sink.deliver(&run).await }).catch_unwind();
    let outcome = delivery.await.unwrap_or_else(|_| Outcome::stopped(0, sink::Error::retry("the sink panicked")));
    spans.end(&outcome);
    telemetry::log_sent(&run, outcome.confirmed);
    crash_point("after_delivery");
    outcome
}

/// Asks a sink whether its destination is within reach.
pub(super) async fn probe(sink: Arc<dyn Sink>, timeout: Duration) -> Result<(), sink::Error> {
    let check = AssertUnwindSafe(async { sink.check().await }).catch_unwind();
    match tokio::time::timeout(timeout, check).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(sink::Error::unreachable("the sink panicked")),
        Err(_) => Err(sink::Error::unreachable(format!("no answer within {timeout:?}"))),
    }
}
