//! Runs on their way to sinks.
//!
//! A hand-over gets a task of its own, so that nobody waits for it. Those of a sink that has always answered at its first poll are
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
use crate::engine::{HandOver, HandOverId, Input};
use crate::sink::{self, Outcome, Outcomes, Run, Sink};

mod first_poll;

type Delivery = Pin<Box<dyn Future<Output = Vec<Outcome>> + Send>>;

/// A destination as the shell serves it.
#[derive(Debug)]
pub(super) struct ServedDestination {
    sink: Arc<dyn Sink>,
    timeout: Duration,
    first_polls: Arc<FirstPolls>,
}

impl ServedDestination {
    /// A destination whose sink was never asked.
    pub(super) fn new(sink: Arc<dyn Sink>, timeout: Duration) -> Self {
        Self { sink, timeout, first_polls: Arc::default() }
    }

    /// Asks the sink whether its destination is within reach.
    pub(super) fn probe(&self) -> impl Future<Output = Result<(), sink::Error>> + Send + 'static {
        probe(self.sink.clone(), self.timeout)
    }
}

/// Hand-overs that take time, each in a task of its own.
#[derive(Debug)]
pub(super) struct Deliveries {
    /// When the engine's time began.
    epoch: Instant,
    tasks: HashMap<HandOverId, AbortHandle>,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
}

impl Deliveries {
    /// Nothing is under way.
    pub(super) fn new(epoch: Instant, monitor: Monitor, tracer: Option<Arc<dyn Tracer>>) -> Self {
        Self { epoch, tasks: HashMap::new(), monitor, tracer }
    }

    /// Hands runs over. Returns the answer if there is one at once; otherwise it comes through `inbox`.
    pub(super) fn start(
        &mut self,
        hand_over: HandOver,
        served: &ServedDestination,
        inbox: &mpsc::Sender<Input>,
    ) -> Option<Input> {
        let (destination, id) = (hand_over.destination, hand_over.id);
        let started = Instant::now();
        let runs = match hand_over.take(started - self.epoch) {
            Ok(runs) => runs,
            Err(withheld) => return Some(withheld),
        };
        let span = telemetry::span(&runs);
        let delivery = deliver(served.sink.clone(), runs, served.timeout, self.monitor.clone(), self.tracer.clone());
        let mut delivery: Delivery = Box::pin(delivery.instrument(span));
        if served.first_polls.may_run_on_loop() {
            let polled = delivery.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            served.first_polls.observe(polled.is_ready(), started.elapsed());
            if let Poll::Ready(outcomes) = polled {
                return Some(Input::Delivered { destination, id, outcomes, took: Duration::ZERO });
            }
        }
        let answered = move |outcomes| Input::Delivered { destination, id, outcomes, took: started.elapsed() };
        self.spawn(id, delivery, served, inbox, answered);
        None
    }

    /// Gives a delivery a task of its own.
    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    fn spawn(
        &mut self,
        id: HandOverId,
        delivery: Delivery,
        served: &ServedDestination,
        inbox: &mpsc::Sender<Input>,
        answered: impl FnOnce(Vec<Outcome>) -> Input + Send + 'static,
    ) {
        let (first_polls, inbox) = (served.first_polls.clone(), inbox.clone());
        let task = tokio::spawn(async move {
            let outcomes = complete(delivery, &first_polls).await;
            // The inbox is closed only when the worker is gone, and then nobody waits for an answer.
            drop(inbox.send(answered(outcomes)).await);
        });
        self.tasks.insert(id, task.abort_handle());
    }

    /// The engine has the answer.
    pub(super) fn answered(&mut self, id: HandOverId) {
        self.tasks.remove(&id);
    }

    /// Nobody waits for these any more.
    pub(super) fn cancel(&mut self, ids: &[HandOverId]) {
        for task in ids.iter().filter_map(|id| self.tasks.remove(id)) {
            task.abort();
            self.monitor.count().possible_duplicates.cancelled += 1;
        }
    }
}

/// A relay whose future is dropped loses its leases some time later; nothing it handed over may outlast them.
impl Drop for Deliveries {
    fn drop(&mut self) {
        self.tasks.values().for_each(AbortHandle::abort);
    }
}

/// What a delivery in a task of its own comes to.
async fn complete(mut delivery: Delivery, polls: &FirstPolls) -> Vec<Outcome> {
    let started = Instant::now();
    let first = futures_util::poll!(delivery.as_mut());
    polls.observe(first.is_ready(), started.elapsed());
    match first {
        Poll::Ready(outcomes) => outcomes,
        Poll::Pending => delivery.await,
    }
}

/// Gives runs to their sink, and waits no longer than `timeout`. A panic is a failure like others, be it in the call or in the future
/// that it returned. What was answered before either stays answered.
async fn deliver(
    sink: Arc<dyn Sink>,
    mut runs: Vec<Run>,
    timeout: Duration,
    monitor: Monitor,
    tracer: Option<Arc<dyn Tracer>>,
) -> Vec<Outcome> {
    telemetry::log_start(&runs);
    let spans = Spans::begin(tracer.as_deref(), &mut runs);
    let mut outcomes = Outcomes::awaited(runs.len());
    let delivery = AssertUnwindSafe(async { sink.deliver_all(&runs, &mut outcomes).await }).catch_unwind();
    let ended = tokio::time::timeout(timeout, delivery).await;
    if let Ok(Err(_)) = ended {
        (0..runs.len())
            .for_each(|nth| outcomes.answer(nth, Outcome::stopped(0, sink::Error::retry("the sink panicked"))));
    }
    spans.end(&outcomes);
    telemetry::log_sent(&runs, &outcomes);
    crash_point("after_delivery");
    if ended.is_err() {
        monitor.count().possible_duplicates.timeout += 1;
        return outcomes.or_else(|| Outcome::stopped(0, sink::Error::retry(format!("no answer within {timeout:?}"))));
    }
    outcomes.or_else(Outcome::unanswered)
}

/// Asks a sink whether its destination is within reach.
async fn probe(sink: Arc<dyn Sink>, timeout: Duration) -> Result<(), sink::Error> {
    let check = AssertUnwindSafe(async { sink.check().await }).catch_unwind();
    match tokio::time::timeout(timeout, check).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(sink::Error::unreachable("the sink panicked")),
        Err(_) => Err(sink::Error::unreachable(format!("no answer within {timeout:?}"))),
    }
}
