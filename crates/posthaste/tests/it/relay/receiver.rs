//! A destination that remembers what it was given and answers as it is told.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use async_trait::async_trait;
use posthaste::journal::Partition;
use posthaste::message::{Message, MessageId, Text};
use posthaste::sink::{Delivery, Error, Outcome, Run, Sink};
use tokio::sync::watch;

use super::outbox::until;

type Answer = dyn Fn(&Delivery) -> Result<(), Error> + Send + Sync;

/// Clones are the same destination.
#[derive(Clone)]
pub(super) struct Receiver(Arc<Inner>);

struct Inner {
    answer: Box<Answer>,
    log: Mutex<Log>,
    open: watch::Sender<bool>,
    reachable: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Log {
    tries: Vec<Try>,
    confirmed: usize,
    runs: Vec<usize>,
    probes: usize,
    /// Runs being received, by partition and worker.
    present: HashMap<(Partition, String), usize>,
    /// Two workers delivered one partition at the same time.
    collisions: Vec<Partition>,
}

impl Log {
    fn add(&mut self, tried: Try) {
        self.confirmed += usize::from(tried.confirmed);
        self.tries.push(tried);
    }
}

/// One attempt, as the destination saw it.
#[derive(Debug, Clone)]
pub(super) struct Try {
    pub(super) worker: String,
    pub(super) delivery: Delivery,
    pub(super) confirmed: bool,
    pub(super) at: Instant,
}

impl Receiver {
    /// Takes everything.
    pub(super) fn new() -> Self {
        Self::answering(|_| Ok(()))
    }

    /// Answers each delivery in turn; a run stops at the first error.
    pub(super) fn answering(answer: impl Fn(&Delivery) -> Result<(), Error> + Send + Sync + 'static) -> Self {
        let (open, reachable) = (watch::Sender::new(true), watch::Sender::new(true));
        Self(Arc::new(Inner { answer: Box::new(answer), log: Mutex::default(), open, reachable }))
    }

    /// Its end in the hands of a worker.
    pub(super) fn sink(&self) -> Arc<dyn Sink> {
        self.sink_of("worker")
    }

    pub(super) fn sink_of(&self, worker: &str) -> Arc<dyn Sink> {
        Arc::new(End { receiver: self.clone(), worker: worker.into() })
    }

    /// Whatever is handed over from now on waits.
    pub(super) fn close(&self) {
        self.0.open.send_replace(false);
    }

    pub(super) fn open(&self) {
        self.0.open.send_replace(true);
    }

    /// Whether the destination can be reached.
    pub(super) fn set_reachable(&self, reachable: bool) {
        self.0.reachable.send_replace(reachable);
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.log.lock().expect("no test panics while it writes here")
    }

    /// Every attempt, in order.
    pub(super) fn tries(&self) -> Vec<Try> {
        self.log().tries.clone()
    }

    pub(super) fn tries_of(&self, id: MessageId) -> Vec<Try> {
        self.tries().into_iter().filter(|tried| tried.delivery.message.id == id).collect()
    }

    /// Everything that was confirmed, in order.
    pub(super) fn arrivals(&self) -> Vec<Try> {
        self.tries().into_iter().filter(|tried| tried.confirmed).collect()
    }

    pub(super) fn arrived(&self) -> Vec<MessageId> {
        let log = self.log();
        log.tries.iter().filter(|tried| tried.confirmed).map(|tried| tried.delivery.message.id).collect()
    }

    pub(super) fn has(&self, id: MessageId) -> bool {
        let log = self.log();
        log.tries.iter().any(|tried| tried.confirmed && tried.delivery.message.id == id)
    }

    /// How many messages each run had.
    pub(super) fn runs(&self) -> Vec<usize> {
        self.log().runs.clone()
    }

    /// How often it was asked whether it is there.
    pub(super) fn probes(&self) -> usize {
        self.log().probes
    }

    /// Runs of a worker that have been handed over and not answered.
    pub(super) fn present(&self, worker: &str) -> usize {
        let log = self.log();
        log.present.iter().filter(|((_, present), _)| present == worker).map(|(_, runs)| runs).sum()
    }

    /// Partitions that two workers delivered at the same time.
    pub(super) fn collisions(&self) -> Vec<Partition> {
        self.log().collisions.clone()
    }

    /// Waits until so much has arrived, repeats included.
    pub(super) async fn until_count(&self, count: usize) {
        until(&format!("{count} messages arrive"), || self.log().confirmed >= count).await;
    }

    pub(super) async fn until_has(&self, ids: &[MessageId]) {
        until(&format!("{} messages arrive", ids.len()), || {
            let arrived: HashSet<MessageId> = self.arrived().into_iter().collect();
            ids.iter().all(|id| arrived.contains(id))
        })
        .await;
    }

    /// Exactly these arrived, none twice, and those of each key in the order in which they were written.
    pub(super) fn assert_got(&self, written: &[Message]) {
        let mut expected: HashMap<_, Vec<MessageId>> = HashMap::new();
        for message in written {
            expected.entry(scope(message)).or_default().push(message.id);
        }
        let mut got: HashMap<_, Vec<MessageId>> = HashMap::new();
        for arrival in self.arrivals() {
            let message = &arrival.delivery.message;
            got.entry(scope(message)).or_default().push(message.id);
        }
        assert_eq!(got, expected);
    }

    /// All of these arrived, some perhaps again, and the first arrivals of each key in the order in which they were written.
    pub(super) fn assert_got_at_least_once(&self, written: &[Message]) {
        let mut first: HashMap<MessageId, usize> = HashMap::new();
        for (place, id) in self.arrived().into_iter().enumerate() {
            first.entry(id).or_insert(place);
        }
        assert_eq!(first.len(), written.len(), "everything arrived, and nothing else");
        let mut last: HashMap<_, usize> = HashMap::new();
        for message in written {
            let at = first[&message.id];
            let before = last.insert(scope(message), at);
            assert!(before.is_none_or(|before| before < at), "{} overtook an earlier one", message.id);
        }
    }
}

/// The key, or the message itself if it asks for no order.
fn scope(message: &Message) -> (Option<Text>, Text) {
    (message.tenant.clone(), message.key.clone().unwrap_or_else(|| message.id.to_string().into()))
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct End {
    receiver: Receiver,
    worker: String,
}

impl End {
    fn enter(&self, run: &Run) -> Presence<'_> {
        let here = (run.partition, self.worker.clone());
        let mut log = self.receiver.log();
        let another = |((partition, worker), runs): (&(Partition, String), &usize)| {
            *partition == here.0 && *worker != here.1 && *runs > 0
        };
        if log.present.iter().any(another) {
            log.collisions.push(run.partition);
        }
        *log.present.entry(here.clone()).or_default() += 1;
        log.runs.push(run.deliveries.len());
        Presence { receiver: &self.receiver, here }
    }
}

/// A run that is being received, until it is answered or given up.
struct Presence<'a> {
    receiver: &'a Receiver,
    here: (Partition, String),
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if let Some(runs) = self.receiver.log().present.get_mut(&self.here) {
            *runs -= 1;
        }
    }
}

#[async_trait]
impl Sink for End {
    async fn deliver(&self, run: &Run) -> Outcome {
        let _presence = self.enter(run);
        let inner = &self.receiver.0;
        let opened = inner.open.subscribe().wait_for(|open| *open).await.is_ok();
        assert!(opened, "the receiver outlives its sinks");
        if !*inner.reachable.borrow() {
            return Outcome::stopped(0, Error::unreachable("nobody is there"));
        }
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            let answer = (inner.answer)(delivery);
            let (worker, delivery) = (self.worker.clone(), delivery.clone());
            let tried = Try { worker, delivery, confirmed: answer.is_ok(), at: Instant::now() };
            self.receiver.log().add(tried);
            if let Err(error) = answer {
                return Outcome::stopped(confirmed, error);
            }
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        self.receiver.log().probes += 1;
        if *self.receiver.0.reachable.borrow() { Ok(()) } else { Err(Error::unreachable("nobody is there")) }
    }
}
