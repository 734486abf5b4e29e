//! What the engine asks of the store, each question in a task of its own.

use std::future::Future;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::telemetry::{self, Monitor};
use super::waker::Waker;
use crate::crash_point::crash_point;
use crate::destination::Name;
use crate::engine::{Action, Input};
use crate::error::{Error, Kind, Result};
use crate::inspect::Change;
use crate::journal::{Entry, HeldKey, Hint, LaneCommit, Lease, Position, WorkerId};
use crate::store::{Store, Watch};

/// A question to the store has failed if there is no answer within so many leases.
const PATIENCE_LEASES: u32 = 4;

/// The store as the shell uses it.
#[derive(Clone)]
pub(super) struct Ports {
    store: Arc<dyn Store>,
    /// Only one question waits at a time.
    watch: Arc<Mutex<Box<dyn Watch>>>,
    waker: Waker,
}

impl Ports {
    pub(super) fn new(store: Arc<dyn Store>, waker: Waker) -> Self {
        let watch = Arc::new(Mutex::new(store.watch()));
        Self { store, watch, waker }
    }
}

/// Who asks.
#[derive(Clone)]
pub(super) struct Asker {
    pub(super) ports: Ports,
    pub(super) worker: WorkerId,
    pub(super) ttl: Duration,
    pub(super) monitor: Monitor,
}

pub(super) struct Questions {
    asker: Asker,
    inbox: mpsc::Sender<Input>,
    asked: JoinSet<()>,
    /// Partitions that are given back, for others to take.
    given_back: JoinSet<()>,
}

impl Questions {
    pub(super) fn new(asker: Asker, inbox: mpsc::Sender<Input>) -> Self {
        Self { asker, inbox, asked: JoinSet::new(), given_back: JoinSet::new() }
    }

    pub(super) fn ask(&mut self, now: Duration, action: Action, name_of: impl Fn(usize) -> Name) {
        let destination = match &action {
            Action::Open { walk, .. }
            | Action::ReadKey { walk, .. }
            | Action::Due { walk, .. }
            | Action::Pause { walk, .. } => Some(name_of(*walk)),
            _ => None,
        };
        let question = Question { asker: self.asker.clone(), destination };
        match &action {
            Action::Release { leaving: true, .. } => {
                // A store must not be in the middle of anything when the worker has left: the process may end at any moment then.
                let (mut given_up, mut given_back) = (mem::take(&mut self.asked), mem::take(&mut self.given_back));
                self.answer(async move {
                    given_up.shutdown().await;
                    while given_back.join_next().await.is_some() {}
                    question.ask(now, action).await
                });
            }
            Action::Release { .. } => start(&mut self.given_back, &self.inbox, question.ask(now, action)),
            _ => self.answer(question.ask(now, action)),
        }
    }

    /// Has the engine told what comes of this.
    pub(super) fn answer(&mut self, input: impl Future<Output = Input> + Send + 'static) {
        start(&mut self.asked, &self.inbox, input);
    }
}

fn start(tasks: &mut JoinSet<()>, inbox: &mpsc::Sender<Input>, input: impl Future<Output = Input> + Send + 'static) {
    while tasks.try_join_next().is_some() {}
    let inbox = inbox.clone();
    tasks.spawn(async move {
        let input = input.await;
        // The inbox is closed only when the worker is gone, and then nobody asks.
        drop(inbox.send(input).await);
    });
}

/// One question to the store, on its way.
struct Question {
    asker: Asker,
    /// For questions about one destination.
    destination: Option<Name>,
}

impl Question {
    async fn ask(self, asked_at: Duration, action: Action) -> Input {
        let Self { asker: Asker { ports, worker, ttl, monitor }, destination } = self;
        let journal = &*ports.store;
        let destination = destination.unwrap_or_else(|| Name::from(""));
        let patience = ttl.saturating_mul(PATIENCE_LEASES);
        match action {
            Action::Lease { want } => {
                telemetry::log_claim(&worker, want);
                let result = within(patience, journal.lease(&worker, ttl, want)).await;
                crash_point("after_lease");
                Input::Leased { asked_at, result }
            }
            Action::Renew { leases, report } => {
                let result = within(patience, journal.renew(&worker, ttl, &leases, &report)).await;
                Input::Renewed { asked_at, leases, result }
            }
            Action::Release { leases, leaving } => {
                crash_point("before_release");
                let result = within(patience, journal.release(&worker, &leases, leaving)).await;
                Input::Released { leases, leaving, result }
            }
            Action::Look { wait } => {
                Input::Looked { result: within(patience.saturating_add(wait), look(&ports, wait)).await }
            }
            Action::Open { walk, leases } => {
                let result = within(patience, journal.open(&destination, &leases)).await;
                Input::Opened { walk, leases, result }
            }
            Action::Read { walk, lanes, request } => {
                let result = within(patience, journal.read(&request)).await;
                Input::Read { walk, lanes, result }
            }
            Action::ReadKey { walk, lane, line, held, limit, asked_at } => {
                let result = within(patience, read_key(journal, destination, lane, &held, limit)).await;
                Input::KeyRead { walk, lane, line, held, asked_at, result }
            }
            Action::Due { walk, lanes, limit, asked_at } => {
                let partitions: Vec<_> = lanes.iter().map(|(partition, _)| *partition).collect();
                let result = within(patience, journal.due(&destination, &partitions, limit)).await;
                Input::Due { walk, lanes, limit, asked_at, result }
            }
            Action::Commit { walk, commits } => {
                crash_point("before_commit");
                let started = Instant::now();
                let asked = tokio::time::timeout(patience, journal.commit(&commits)).await;
                monitor.committed(started.elapsed());
                crash_point("after_commit");
                // It may come to life later and undo what is decided meanwhile. So these lanes start over with a lease of
                // another epoch, which fences it.
                let result = asked.unwrap_or_else(|_| Ok(commits.iter().map(|commit| commit.partition).collect()));
                Input::Committed { walk, result }
            }
            Action::Pause { why, .. } => Input::Paused { result: pause(journal, &worker, &destination, &why).await },
            Action::Purge { older_than, limit } => Input::Purged { result: journal.purge(older_than, limit).await },
            Action::Deliver { .. } | Action::Cancel { .. } | Action::Probe { .. } => {
                unreachable!("the worker does these itself")
            }
        }
    }
}

/// Holds a destination for everyone, and says in the audit log why.
async fn pause(inspect: &dyn Store, worker: &WorkerId, destination: &Name, why: &str) -> Result<()> {
    if inspect.pause(destination).await? {
        let target = format!("{destination}: {why}");
        let change = Change { who: worker.to_string(), action: "pause".into(), target, affected: 1 };
        inspect.record(&change).await?;
    }
    Ok(())
}

/// The store's answer. A connection can be gone without anyone noticing, so nobody waits for ever.
async fn within<T>(patience: Duration, asked: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Err(Error::new(Kind::Unavailable, format!("the store did not answer within {patience:?}")));
    tokio::time::timeout(patience, asked).await.unwrap_or_else(late)
}

/// What waits behind a held key, if the lease is held after it was read. Whoever has taken the partition over may have parked the
/// key's next message, which is left out of the answer, and the one behind it would overtake it.
async fn read_key(
    journal: &dyn Store,
    destination: Name,
    lane: Lease,
    held: &HeldKey,
    limit: usize,
) -> Result<Vec<Entry>> {
    let entries = journal.read_key(&destination, lane.partition, held, limit).await?;
    let fence = LaneCommit::nothing(destination, lane.partition, lane.epoch);
    match journal.commit(&[fence]).await?.is_empty() {
        true => Ok(entries),
        false => Err(Error::new(Kind::Unavailable, "the lease has changed hands")),
    }
}

async fn look(ports: &Ports, wait: Duration) -> Result<Option<Position>> {
    let mut watch = ports.watch.lock().await;
    let hint = if wait.is_zero() {
        Hint::Maybe
    } else {
        tokio::select! {
            hint = watch.wait(wait) => hint?,
            () = ports.waker.woken() => Hint::Maybe,
        }
    };
    match hint {
        Hint::Nothing => Ok(None),
        Hint::Maybe => {
            let newest = ports.store.advance().await?;
            watch.saw(newest);
            Ok(Some(newest))
        }
    }
}
