//! Carries the engine's requests to the store, each in a task of its own, and brings the answers back.

use std::future::Future;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::tail::SharedTail;
use super::telemetry::{self, Monitor, StoreOutage};
use super::waker::Waker;
use crate::crash_point::crash_point;
use crate::destination::Name;
use crate::engine::{Input, StoreAnswer, StoreCall, StoreFailure, StoreRequest};
use crate::error::{Error, Kind, Result};
use crate::inspect::Change;
use crate::journal::{Grant, Hint, LaneCommit, Partition, Position, WorkerId};
use crate::store::{Store, Watch};

/// A request to the store has failed if there is no answer within so many leases. A connection can be gone without anyone
/// noticing, so nobody waits for ever.
pub(super) const PATIENCE_LEASES: u32 = 4;

/// The store as one worker uses it. Cheap to clone.
#[derive(Clone)]
pub(super) struct StoreClient {
    store: Arc<dyn Store>,
    /// Only one request waits at a time.
    watch: Arc<Mutex<Box<dyn Watch>>>,
    waker: Waker,
    worker: WorkerId,
    lease_ttl: Duration,
    monitor: Monitor,
    outage: Arc<StoreOutage>,
    /// What several destinations read alike; one has nobody to share it with.
    tail: Option<Arc<SharedTail>>,
}

/// The engine knows no time of day: what it writes gets its own here.
fn stamp_letters(commits: &mut [LaneCommit]) {
    let now = crate::clock::now();
    commits.iter_mut().flat_map(|commit| &mut commit.letters).for_each(|letter| letter.occurred_at = now);
}

impl StoreClient {
    /// A worker's own access, with a watch of its own.
    pub(super) fn new(
        store: Arc<dyn Store>,
        waker: Waker,
        worker: WorkerId,
        lease_ttl: Duration,
        monitor: Monitor,
    ) -> Self {
        let watch = Arc::new(Mutex::new(store.watch()));
        Self { store, watch, waker, worker, lease_ttl, monitor, outage: Arc::default(), tail: None }
    }

    /// Lets destinations read together, and keeps up to so many bytes of what they read.
    pub(super) fn sharing(self, most_bytes: usize) -> Self {
        Self { tail: Some(Arc::new(SharedTail::new(most_bytes))), ..self }
    }

    /// Carries a request to the store and says what came of it.
    async fn carry(self, request: StoreRequest) -> Input {
        let StoreRequest { id, call } = request;
        let (verb, patience) = (verb(&call), self.patience(&call));
        let answer = tokio::time::timeout(patience, self.perform(call)).await;
        let (failure, error) = match answer {
            Ok(Ok(answer)) => {
                self.outage.answered();
                return Input::Answered { id, result: Ok(answer) };
            }
            Ok(Err(error)) => (StoreFailure::Failed, error),
            Err(_) => {
                let error = Error::new(Kind::Unavailable, format!("the store did not answer within {patience:?}"));
                (StoreFailure::TimedOut, error)
            }
        };
        self.outage.failed(verb, &error);
        self.monitor.count().store_errors += 1;
        Input::Answered { id, result: Err(failure) }
    }

    fn patience(&self, call: &StoreCall) -> Duration {
        let patience = self.lease_ttl.saturating_mul(PATIENCE_LEASES);
        match call {
            StoreCall::Advance { wait } => patience.saturating_add(*wait),
            // These may take their time, and nobody waits for them.
            StoreCall::Pause { .. } | StoreCall::Purge { .. } => Duration::MAX,
            _ => patience,
        }
    }

    async fn perform(&self, call: StoreCall) -> Result<StoreAnswer> {
        let (store, worker) = (&*self.store, &self.worker);
        Ok(match call {
            StoreCall::Lease { want } => StoreAnswer::Leased(self.lease(want).await?),
            StoreCall::Renew { leases, report } => {
                StoreAnswer::Renewed(store.renew(worker, self.lease_ttl, &leases, &report).await?)
            }
            StoreCall::Release { leases, leaving } => {
                crash_point("before_release");
                store.release(worker, &leases, leaving).await?;
                StoreAnswer::Released
            }
            StoreCall::Advance { wait } => StoreAnswer::Advanced(self.advance(wait).await?),
            StoreCall::Open { destination, leases } => {
                self.tail.iter().for_each(|tail| tail.forget());
                StoreAnswer::Opened(store.open(&destination, &leases).await?)
            }
            StoreCall::Read(request) => StoreAnswer::Read(match &self.tail {
                Some(tail) => tail.read(store, &request).await?,
                None => store.read(&request).await?,
            }),
            StoreCall::ReadKey { destination, partition, held, limit } => {
                StoreAnswer::KeyRead(store.read_key(&destination, partition, &held, limit).await?)
            }
            StoreCall::Due { destination, partitions, limit } => {
                StoreAnswer::Due(store.due(&destination, &partitions, limit).await?)
            }
            StoreCall::Commit(mut commits) => {
                stamp_letters(&mut commits);
                StoreAnswer::Committed(self.commit(&commits).await?)
            }
            StoreCall::Pause { destination, why } => {
                self.pause(&destination, &why).await?;
                StoreAnswer::Paused
            }
            StoreCall::Purge { older_than, limit } => StoreAnswer::Purged(store.purge(older_than, limit).await?),
        })
    }

    async fn lease(&self, want: usize) -> Result<Grant> {
        telemetry::log_claim(&self.worker, want);
        let grant = self.store.lease(&self.worker, self.lease_ttl, want).await;
        crash_point("after_lease");
        grant.inspect(telemetry::log_grant)
    }

    async fn commit(&self, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
        crash_point("before_commit");
        let started = Instant::now();
        let refused = self.store.commit(commits).await;
        self.monitor.committed(started.elapsed());
        crash_point("after_commit");
        refused
    }

    /// Waits for news, then advances the journal. `None` when there is certainly nothing new.
    async fn advance(&self, wait: Duration) -> Result<Option<Position>> {
        let mut watch = self.watch.lock().await;
        let hint = if wait.is_zero() {
            Hint::Maybe
        } else {
            tokio::select! {
                hint = watch.wait(wait) => hint?,
                () = self.waker.woken() => Hint::Maybe,
            }
        };
        match hint {
            Hint::Nothing => Ok(None),
            Hint::Maybe => {
                let newest = self.store.advance().await?;
                watch.saw(newest);
                Ok(Some(newest))
            }
        }
    }

    /// Holds a destination for everyone, and says in the audit log why.
    async fn pause(&self, destination: &Name, why: &str) -> Result<()> {
        if self.store.pause(destination).await? {
            let target = format!("{destination}: {why}");
            let change = Change { who: self.worker.to_string(), action: "pause".into(), target, affected: 1 };
            self.store.record(&change).await?;
        }
        Ok(())
    }
}

/// What a call is named in logs: the verb of the port.
fn verb(call: &StoreCall) -> &'static str {
    match call {
        StoreCall::Lease { .. } => "lease",
        StoreCall::Renew { .. } => "renew",
        StoreCall::Release { .. } => "release",
        StoreCall::Advance { .. } => "advance",
        StoreCall::Open { .. } => "open",
        StoreCall::Read(_) => "read",
        StoreCall::ReadKey { .. } => "read_key",
        StoreCall::Due { .. } => "due",
        StoreCall::Commit(_) => "commit",
        StoreCall::Pause { .. } => "pause",
        StoreCall::Purge { .. } => "purge",
    }
}

/// The requests of one worker that are under way.
pub(super) struct StoreCalls {
    client: StoreClient,
    inbox: mpsc::Sender<Input>,
    under_way: JoinSet<()>,
    /// Partitions that are given back, for others to take.
    releases: JoinSet<()>,
}

impl StoreCalls {
    /// Answers go to the inbox.
    pub(super) fn new(client: StoreClient, inbox: mpsc::Sender<Input>) -> Self {
        Self { client, inbox, under_way: JoinSet::new(), releases: JoinSet::new() }
    }

    /// Starts a request.
    pub(super) fn start(&mut self, request: StoreRequest) {
        let client = self.client.clone();
        match &request.call {
            StoreCall::Release { leaving: true, .. } => {
                // A store must not be in the middle of anything when the worker has left: the process may end at any moment then.
                let (mut given_up, mut releases) = (mem::take(&mut self.under_way), mem::take(&mut self.releases));
                self.answer(async move {
                    given_up.shutdown().await;
                    while releases.join_next().await.is_some() {}
                    client.carry(request).await
                });
            }
            StoreCall::Release { .. } => spawn(&mut self.releases, &self.inbox, client.carry(request)),
            _ => self.answer(client.carry(request)),
        }
    }

    /// Has the engine told what comes of this.
    pub(super) fn answer(&mut self, input: impl Future<Output = Input> + Send + 'static) {
        spawn(&mut self.under_way, &self.inbox, input);
    }
}

fn spawn(tasks: &mut JoinSet<()>, inbox: &mpsc::Sender<Input>, input: impl Future<Output = Input> + Send + 'static) {
    while tasks.try_join_next().is_some() {}
    let inbox = inbox.clone();
    tasks.spawn(async move {
        let input = input.await;
        // The inbox is closed only when the worker is gone, and then nobody waits for an answer.
        drop(inbox.send(input).await);
    });
}
