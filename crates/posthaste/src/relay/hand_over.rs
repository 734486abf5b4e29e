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

use super::crash::crash_point;
use super::engine::Input;
use super::walk::RunId;
use crate::sink::{self, Outcome, Run, Sink};

/// A run to be handed over.
#[derive(Debug)]
pub(super) struct HandOver {
    pub(super) walk: usize,
    pub(super) id: RunId,
    pub(super) run: Run,
    pub(super) sink: Arc<dyn Sink>,
    pub(super) timeout: Duration,
    /// Not after this time: a process may freeze between two lines.
    pub(super) not_after: Instant,
}

/// Hand-overs that take time, each in a task of its own.
#[derive(Debug, Default)]
pub(super) struct UnderWay(HashMap<RunId, AbortHandle>);

impl UnderWay {
    /// Hands a run over. Returns the answer if there is one at once; otherwise it comes through `inbox`.
    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    pub(super) fn start(&mut self, hand_over: HandOver, inbox: &mpsc::Sender<Input>) -> Option<Input> {
        let id = hand_over.id;
        let mut answer = Box::pin(hand_over.make());
        let mut context = Context::from_waker(Waker::noop());
        match answer.as_mut().poll(&mut context) {
            Poll::Ready(input) => Some(input),
            Poll::Pending => {
                let inbox = inbox.clone();
                // The inbox is closed only when the worker is gone, and then nobody asks.
                let task = tokio::spawn(async move { drop(inbox.send(answer.await).await) });
                self.0.insert(id, task.abort_handle());
                None
            }
        }
    }

    /// The engine has the answer.
    pub(super) fn answered(&mut self, id: RunId) {
        self.0.remove(&id);
    }

    /// Nobody waits for these any more.
    pub(super) fn cancel(&mut self, ids: &[RunId]) {
        for task in ids.iter().filter_map(|id| self.0.remove(id)) {
            task.abort();
        }
    }
}

impl HandOver {
    async fn make(self) -> Input {
        let (walk, id, started) = (self.walk, self.id, Instant::now());
        let outcome = self.outcome(started).await;
        Input::Delivered { walk, id, outcome, took: started.elapsed() }
    }

    /// Gives the run to its sink, unless the lease is over by now. A panic is a failure like others.
    async fn outcome(self, started: Instant) -> Outcome {
        if started >= self.not_after {
            return Outcome::stopped(0, sink::Error::unreachable("the lease ended before the hand-over"));
        }
        let timeout = self.timeout;
        let delivery = AssertUnwindSafe(self.sink.deliver(&self.run)).catch_unwind();
        let outcome = match tokio::time::timeout(timeout, delivery).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Outcome::stopped(0, sink::Error::retry("the sink panicked")),
            Err(_) => Outcome::stopped(0, sink::Error::retry(format!("no answer within {timeout:?}"))),
        };
        crash_point("after_delivery");
        outcome
    }
}

/// Asks a sink whether its destination is within reach.
pub(super) async fn probe(sink: Arc<dyn Sink>, timeout: Duration) -> Result<(), sink::Error> {
    let check = AssertUnwindSafe(sink.check()).catch_unwind();
    match tokio::time::timeout(timeout, check).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(sink::Error::unreachable("the sink panicked")),
        Err(_) => Err(sink::Error::unreachable(format!("no answer within {timeout:?}"))),
    }
}
