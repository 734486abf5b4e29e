//! Sources on tokio: runs the engine of each against a real log, a real store and a real clock. It decides nothing: it carries requests
//! out and answers back.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::reading::ReadingTask;
use self::store::SourceStore;
use super::telemetry::{Monitor, SourceLog};
use crate::engine::mistakes::Mistakes;
use crate::engine::source::{SourceAction, SourceEngine, SourceInput};
use crate::journal::WorkerId;
use crate::settings::Settings;
use crate::source::{Feed, Mapper, Source, Unmappable, made};
use crate::store::Store;

mod reading;
mod store;

/// Answers that may wait for the engine; whoever has one more waits.
const INBOX: usize = 64;

/// A source, with what reads it and what makes messages of it.
#[derive(Debug, Clone)]
pub(super) struct ReadSource {
    pub(super) feed: Feed,
    pub(super) source: Arc<dyn Source>,
    pub(super) mapper: Arc<dyn Mapper>,
}

/// The sources of a relay that runs, each in a task of its own. They end when this is dropped.
pub(super) struct Sources {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Sources {
    pub(super) fn start(
        sources: Vec<ReadSource>,
        store: &Arc<dyn Store>,
        settings: &Settings,
        monitor: &Monitor,
    ) -> Self {
        let (stop, stopping) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for read in sources {
            let worker = SourceWorker::new(read, Arc::clone(store), settings, monitor.clone());
            tasks.spawn(worker.run(stopping.clone()));
        }
        Self { stop, tasks }
    }

    /// Each stores what it has read, and gives its source back.
    pub(super) fn tell_to_stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all have, up to a limit.
    pub(super) async fn stopped(mut self, timeout: Duration) {
        self.tell_to_stop();
        let all = async { while self.tasks.join_next().await.is_some() {} };
        drop(tokio::time::timeout(timeout, all).await);
    }
}

/// One source of a relay that runs.
struct SourceWorker {
    read: ReadSource,
    engine: SourceEngine,
    /// When the engine's time began.
    epoch: Instant,
    store: SourceStore,
    monitor: Monitor,
    log: SourceLog,
    inbox: mpsc::Sender<SourceInput>,
    answers: mpsc::Receiver<SourceInput>,
    reading: Option<ReadingTask>,
    store_calls: JoinSet<()>,
}

impl SourceWorker {
    fn new(read: ReadSource, store: Arc<dyn Store>, settings: &Settings, monitor: Monitor) -> Self {
        let (inbox, answers) = mpsc::channel(INBOX);
        let worker: WorkerId = settings.worker.clone();
        let engine = SourceEngine::new(read.feed.clone(), worker.clone(), settings.lease_ttl, Mistakes::NONE);
        let store = SourceStore::new(store, read.feed.name.clone(), worker, settings.lease_ttl);
        let epoch = Instant::now();
        let log = SourceLog::new(read.feed.name.clone());
        Self { read, engine, epoch, store, monitor, log, inbox, answers, reading: None, store_calls: JoinSet::new() }
    }

    /// Runs until the source is given back, which happens some time after `stop` says so.
    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut asked_to_stop = false;
        while !self.engine.is_stopped() {
            let now = self.epoch.elapsed();
            self.act(now);
            let wake = self.epoch + self.engine.wake_at().unwrap_or(now + Duration::from_secs(1));
            tokio::select! {
                input = self.answers.recv() => {
                    if let Some(input) = input {
                        self.engine.handle(self.epoch.elapsed(), input);
                    }
                }
                () = tokio::time::sleep_until(wake) => {}
                _ = stop.wait_for(|stop| *stop), if !asked_to_stop => {
                    asked_to_stop = true;
                    self.engine.handle(self.epoch.elapsed(), SourceInput::Stop);
                }
            }
        }
        self.act(self.epoch.elapsed());
    }

    fn act(&mut self, now: Duration) {
        for action in self.engine.poll(now) {
            self.perform(action);
        }
        let events = self.engine.take_events();
        let name = &self.read.feed.name;
        self.monitor.source_saw(name, &events, self.engine.snapshot());
        self.log.tell(events);
    }

    fn perform(&mut self, action: SourceAction) {
        match action {
            SourceAction::Open { reading, after } => {
                self.reading = Some(ReadingTask::open(reading, self.read.clone(), after, self.inbox.clone()));
            }
            SourceAction::Read { reading, limit } => {
                if let Some(task) = self.reading.as_mut().filter(|task| task.id() == reading) {
                    task.read(limit);
                }
            }
            SourceAction::Close { reading } => drop(self.reading.take_if(|task| task.id() == reading)),
            SourceAction::Settled { reading, events, marked } => {
                if let Some(task) = self.reading.as_mut().filter(|task| task.id() == reading) {
                    task.settled(events, marked);
                }
            }
            SourceAction::Refuse { event, reason } => {
                let made = made(&event, Err(Unmappable::new(reason)), self.read.feed.on_error);
                self.answer(async move { SourceInput::Refused(made) });
            }
            SourceAction::Lease { held, report } => {
                let store = self.store.clone();
                self.answer(async move { store.lease(held, report).await });
            }
            SourceAction::Release { held } => {
                let store = self.store.clone();
                self.answer(async move { store.release(held).await });
            }
            SourceAction::Ingest { id, ingest } => {
                let store = self.store.clone();
                self.answer(async move { store.ingest(id, ingest).await });
            }
        }
    }

    /// Has the engine told what comes of this.
    fn answer(&mut self, input: impl Future<Output = SourceInput> + Send + 'static) {
        while self.store_calls.try_join_next().is_some() {}
        let inbox = self.inbox.clone();
        self.store_calls.spawn(async move {
            let input = input.await;
            // The inbox is closed only when the worker is gone, and then nobody waits for an answer.
            drop(inbox.send(input).await);
        });
    }
}
