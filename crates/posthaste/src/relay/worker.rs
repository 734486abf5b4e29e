//! The engine's shell: runs a state machine against a real store, real sinks and a real clock.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::crash::crash_point;
use super::engine::{Action, Engine, Input};
use super::hand_over::{HandOver, UnderWay, probe};
use super::settings::Settings;
use super::telemetry::{self, Monitor, Tracer};
use super::waker::Waker;
use crate::destination::{Destination, Name};
use crate::error::{Error, Kind, Result};
use crate::inspect::{Change, Inspect};
use crate::journal::{Entry, HeldKey, Hint, Journal, LaneCommit, Lease, Position, WorkerId};
use crate::sink::Sink;

/// A question to the store has failed if there is no answer within so many leases.
const PATIENCE_LEASES: u32 = 4;
/// Answers that may wait for the engine; whoever has one more waits.
const INBOX: usize = 1_024;
const MONITOR_INTERVAL: Duration = Duration::from_millis(50);

/// A destination as the shell needs it.
struct Exit {
    name: Name,
    sink: Arc<dyn Sink>,
    timeout: Duration,
}

/// The store as the shell uses it.
#[derive(Clone)]
pub(super) struct Ports {
    pub(super) journal: Arc<dyn Journal>,
    /// To pause a destination that wants no more.
    pub(super) inspect: Option<Arc<dyn Inspect>>,
    pub(super) waker: Waker,
}

pub(super) struct Worker {
    id: WorkerId,
    ttl: Duration,
    ports: Ports,
    exits: Vec<Exit>,
    engine: Engine,
    started: Instant,
    monitor: Monitor,
    inbox: mpsc::Sender<Input>,
    answers: mpsc::Receiver<Input>,
    under_way: UnderWay,
}

impl Worker {
    pub(super) fn new(
        ports: Ports,
        settings: Settings,
        destinations: Vec<(Destination, Arc<dyn Sink>)>,
        partitions: u16,
        monitor: Monitor,
        tracer: Option<Arc<dyn Tracer>>,
    ) -> Self {
        let exit = |(dest, sink): &(Destination, Arc<dyn Sink>)| Exit {
            name: dest.name.clone(),
            sink: sink.clone(),
            timeout: dest.timeout,
        };
        let exits = destinations.iter().map(exit).collect();
        let destinations = destinations.into_iter().map(|(dest, _)| dest).collect();
        let (id, ttl) = (settings.worker.clone(), settings.lease_ttl);
        let seed = uuid::Uuid::now_v7().as_u64_pair().1;
        let engine = Engine::new(settings, destinations, partitions, seed, super::mistakes::Mistakes::NONE);
        let (inbox, answers) = mpsc::channel(INBOX);
        monitor.began();
        let (started, under_way) = (Instant::now(), UnderWay::new(monitor.clone(), tracer));
        Self { id, ttl, ports, exits, engine, started, monitor, inbox, answers, under_way }
    }

    /// Runs until the engine has stopped, which it does some time after `until` is ready.
    pub(super) async fn run(mut self, until: impl Future<Output = ()>) {
        let mut until = pin!(until.fuse());
        let mut asked_to_stop = false;
        let mut monitored_at = Instant::now();
        let mut inputs = Vec::new();
        while !self.engine.is_stopped() {
            let now = self.started.elapsed();
            let actions = self.engine.poll(now);
            self.perform_all(now, actions, &mut inputs);
            let events = self.engine.take_events();
            self.monitor.saw(&events);
            telemetry::log(events);
            if monitored_at.elapsed() >= MONITOR_INTERVAL {
                self.monitor.publish(self.engine.snapshot());
                monitored_at = Instant::now();
            }
            if inputs.is_empty() {
                let wake = self.started + self.engine.wake_at(now).unwrap_or(now + Duration::from_secs(1));
                tokio::select! {
                    _ = self.answers.recv_many(&mut inputs, INBOX) => {}
                    () = tokio::time::sleep_until(wake) => {}
                    () = &mut until, if !asked_to_stop => {
                        asked_to_stop = true;
                        inputs.push(Input::Stop);
                    }
                }
            } else {
                // Sinks that answer at once could go on for ever: the store's answers and other tasks have their turn too.
                tokio::task::yield_now().await;
                asked_to_stop |=
                    self.take_waiting(&mut inputs, !asked_to_stop && until.as_mut().now_or_never().is_some());
            }
            let now = self.started.elapsed();
            self.monitor.heard(&inputs);
            for input in inputs.drain(..) {
                if let Input::Delivered { id, .. } = &input {
                    self.under_way.answered(*id);
                }
                telemetry::log_answer(&input);
                self.engine.handle(now, input);
            }
        }
        self.monitor.publish(self.engine.snapshot());
        self.monitor.ended();
    }

    /// Takes what has arrived without waiting for more. Returns whether the worker is asked to stop.
    fn take_waiting(&mut self, inputs: &mut Vec<Input>, stop: bool) -> bool {
        while let Ok(input) = self.answers.try_recv() {
            inputs.push(input);
        }
        if stop {
            inputs.push(Input::Stop);
        }
        stop
    }

    /// Starts what the engine asked for. Answers that are there at once go to `inputs`, the others come through the inbox.
    fn perform_all(&mut self, now: Duration, actions: Vec<Action>, inputs: &mut Vec<Input>) {
        for action in actions {
            match action {
                Action::Deliver { walk, id, run, not_after } => {
                    let Exit { sink, timeout, .. } = &self.exits[walk];
                    let (sink, timeout, not_after) = (sink.clone(), *timeout, self.started + not_after);
                    let hand_over = HandOver { walk, id, run, sink, timeout, not_after };
                    inputs.extend(self.under_way.start(hand_over, &self.inbox));
                }
                Action::Cancel { ids } => self.under_way.cancel(&ids),
                action => self.perform(now, action),
            }
        }
    }

    fn perform(&self, now: Duration, action: Action) {
        match action {
            Action::Probe { walk } => {
                let exit = &self.exits[walk];
                let (sink, timeout) = (exit.sink.clone(), exit.timeout);
                self.answer(async move { Input::Probed { walk, result: probe(sink, timeout).await } });
            }
            other => {
                let name = |walk: usize| self.exits[walk].name.clone();
                let question = Question {
                    destination: match &other {
                        Action::Open { walk, .. }
                        | Action::ReadKey { walk, .. }
                        | Action::Due { walk, .. }
                        | Action::Pause { walk, .. } => Some(name(*walk)),
                        _ => None,
                    },
                    ports: self.ports.clone(),
                    worker: self.id.clone(),
                    ttl: self.ttl,
                    monitor: self.monitor.clone(),
                };
                self.answer(async move { question.ask(now, other).await });
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is the shell: what is in flight is known to the engine")]
    fn answer(&self, input: impl Future<Output = Input> + Send + 'static) {
        let inbox = self.inbox.clone();
        tokio::spawn(async move {
            let input = input.await;
            // The inbox is closed only when the worker is gone, and then nobody asks.
            drop(inbox.send(input).await);
        });
    }
}

/// One question to the store, on its way.
struct Question {
    ports: Ports,
    worker: WorkerId,
    ttl: Duration,
    monitor: Monitor,
    /// For questions about one destination.
    destination: Option<Name>,
}

impl Question {
    async fn ask(self, asked_at: Duration, action: Action) -> Input {
        let Self { ports: Ports { journal, inspect, waker }, worker, ttl, monitor, destination } = self;
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
            Action::Look { wait } => Input::Looked {
                result: within(patience.saturating_add(wait), look(journal.as_ref(), &waker, wait)).await,
            },
            Action::Open { walk, leases } => {
                let result = within(patience, journal.open(&destination, &leases)).await;
                Input::Opened { walk, leases, result }
            }
            Action::Read { walk, lanes, request } => {
                let result = within(patience, journal.read(&request)).await;
                Input::Read { walk, lanes, result }
            }
            Action::ReadKey { walk, lane, line, held, limit, asked_at } => {
                let result = within(patience, read_key(journal.as_ref(), destination, lane, &held, limit)).await;
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
            Action::Pause { why, .. } => {
                Input::Paused { result: pause(inspect.as_deref(), &worker, &destination, &why).await }
            }
            Action::Purge { older_than, limit } => Input::Purged { result: journal.purge(older_than, limit).await },
            Action::Deliver { .. } | Action::Cancel { .. } | Action::Probe { .. } => {
                unreachable!("the worker does these itself")
            }
        }
    }
}

/// Holds a destination for everyone, and says in the audit log why.
async fn pause(inspect: Option<&dyn Inspect>, worker: &WorkerId, destination: &Name, why: &str) -> Result<()> {
    let Some(inspect) = inspect else { return Ok(()) };
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
    journal: &dyn Journal,
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

async fn look(journal: &dyn Journal, waker: &Waker, wait: Duration) -> Result<Option<Position>> {
    let hint = if wait.is_zero() {
        Hint::Maybe
    } else {
        tokio::select! {
            hint = journal.wait(wait) => hint?,
            () = waker.woken() => Hint::Maybe,
        }
    };
    match hint {
        Hint::Nothing => Ok(None),
        Hint::Maybe => journal.advance().await.map(Some),
    }
}
