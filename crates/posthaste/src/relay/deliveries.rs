//! Runs on their way to sinks.
//!
//! A run gets a task of its own, so that nobody waits for it. The runs of a sink that has always answered at its first poll are
//! polled on the relay's loop instead, without a task, a channel or another thread: see `first_poll`.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tracing::Instrument;

use self::first_poll::FirstPolls;
use super::telemetry::{self, Monitor, Spans, Tracer};
use crate::crash_point::crash_point;
use crate::engine::{Input, RunId};
use crate::sink::{self, Outcome, Run, Sink};

mod first_poll;

type Delivery = Pin<Box<dyn Future<Output = Outcome> + Send>>;

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
    /// By destination.
    first_polls: Vec<Arc<FirstPolls>>,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
}

impl UnderWay {
    pub(super) fn new(destinations: usize, monitor: Monitor, tracer: Option<Arc<dyn Tracer>>) -> Self {
        let first_polls = (0..destinations).map(|_| Arc::default()).collect();
        Self { tasks: HashMap::new(), first_polls, monitor, tracer }
    }

    /// Hands a run over. Returns the answer if there is one at once; otherwise it comes through `inbox`.
    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    pub(super) fn start(&mut self, hand_over: HandOver, inbox: &mpsc::Sender<Input>) -> Option<Input> {
        let HandOver { walk, id, run, sink, timeout, not_after } = hand_over;
        // Read before every single one, because a process may freeze between any two.
        let started = Instant::now();
        if started >= not_after {
            return Some(Input::Withheld { walk, id });
        }
        let span = telemetry::span(&run);
        let mut delivery: Delivery = Box::pin(deliver(sink, run, self.tracer.clone()).instrument(span));
        let first_polls = &self.first_polls[walk];
        if first_polls.may_run_on_loop() {
            let polled = delivery.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            first_polls.observe(polled.is_ready(), started.elapsed());
            if let Poll::Ready(outcome) = polled {
                return Some(Input::Delivered { walk, id, outcome, took: Duration::ZERO });
            }
        }
        let (first_polls, monitor, inbox) = (first_polls.clone(), self.monitor.clone(), inbox.clone());
        let task = tokio::spawn(async move {
            let outcome = complete(delivery, &first_polls, timeout, &monitor).await;
            let answer = Input::Delivered { walk, id, outcome, took: started.elapsed() };
            // The inbox is closed only when the worker is gone, and then nobody waits for an answer.
            drop(inbox.send(answer).await);
        });
        self.tasks.insert(id, task.abort_handle());
        None
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

/// What a delivery in a task of its own comes to, at the latest after `timeout`.
async fn complete(mut delivery: Delivery, polls: &FirstPolls, timeout: Duration, monitor: &Monitor) -> Outcome {
    let started = Instant::now();
    let first = futures_util::poll!(delivery.as_mut());
    polls.observe(first.is_ready(), started.elapsed());
    match first {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => tokio::time::timeout(timeout, delivery).await.unwrap_or_else(|_| {
            monitor.count().possible_duplicates.timeout += 1;
            Outcome::stopped(0, sink::Error::retry(format!("no answer within {timeout:?}")))
        }),
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
