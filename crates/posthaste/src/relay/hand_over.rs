//! Runs on their way to sinks.
//!
//! The runs of one turn of the engine are started together in one task. Most sinks answer in memory or hand their bytes to
//! a socket at once, so many answers are ready after the first look and go back together; each run that is not gets a task
//! of its own, so that nobody waits for it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::crash::crash_point;
use super::engine::Input;
use super::walk::RunId;
use crate::sink::{self, Outcome, Run, Sink};

/// Runs started by one task. A handler that computes for long holds up this many others at most, and only until it first
/// waits for something.
const TOGETHER: usize = 16;

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

/// Hand-overs that are under way; with a task of their own once they take time.
#[derive(Debug, Clone, Default)]
pub(super) struct UnderWay(Arc<Mutex<HashMap<RunId, Option<AbortHandle>>>>);

impl UnderWay {
    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Option<AbortHandle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts runs; their answers come through `inbox`.
    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    pub(super) fn start(&self, mut hand_overs: Vec<HandOver>, inbox: &mpsc::Sender<Vec<Input>>) {
        self.lock().extend(hand_overs.iter().map(|hand_over| (hand_over.id, None)));
        while !hand_overs.is_empty() {
            let rest = hand_overs.split_off(hand_overs.len().min(TOGETHER));
            let together = std::mem::replace(&mut hand_overs, rest);
            tokio::spawn(self.clone().begin(together, inbox.clone()));
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    async fn begin(self, together: Vec<HandOver>, inbox: mpsc::Sender<Vec<Input>>) {
        let mut answers = Vec::with_capacity(together.len());
        for hand_over in together {
            let id = hand_over.id;
            if !self.lock().contains_key(&id) {
                continue;
            }
            let mut answer = Box::pin(hand_over.make());
            match futures_util::poll!(answer.as_mut()) {
                std::task::Poll::Ready(input) => answers.push(input),
                std::task::Poll::Pending => {
                    let inbox = inbox.clone();
                    let task = tokio::spawn(async move { drop(inbox.send(vec![answer.await]).await) });
                    if let Some(under_way) = self.lock().get_mut(&id) {
                        *under_way = Some(task.abort_handle());
                    } else {
                        task.abort();
                    }
                }
            }
        }
        if !answers.is_empty() {
            // The inbox is closed only when the worker is gone, and then nobody asks.
            drop(inbox.send(answers).await);
        }
    }

    /// The engine has the answer.
    pub(super) fn answered(&self, id: RunId) {
        self.lock().remove(&id);
    }

    /// Nobody waits for these any more.
    pub(super) fn cancel(&self, ids: &[RunId]) {
        let mut under_way = self.lock();
        for task in ids.iter().filter_map(|id| under_way.remove(id)).flatten() {
            task.abort();
        }
    }
}

impl HandOver {
    async fn make(self) -> Input {
        let (walk, id) = (self.walk, self.id);
        let started = Instant::now();
        let outcome = self.outcome().await;
        Input::Delivered { walk, id, outcome, took: started.elapsed() }
    }

    /// Gives the run to its sink, unless the lease is over by now. A panic is a failure like others.
    async fn outcome(self) -> Outcome {
        if Instant::now() >= self.not_after {
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
