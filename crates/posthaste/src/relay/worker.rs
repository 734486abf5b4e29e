//! The engine's shell: runs a state machine against a real store, real sinks and a real clock.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::deliveries::{HandOver, UnderWay, probe};
use super::store_calls::{Asker, Ports, Questions};
use super::telemetry::{self, Monitor, Tracer};
use crate::destination::{Destination, Name};
use crate::engine::{Action, Engine, Input};
use crate::settings::Settings;
use crate::sink::Sink;

/// Answers that may wait for the engine; whoever has one more waits.
const INBOX: usize = 1_024;
const MONITOR_INTERVAL: Duration = Duration::from_millis(50);

/// A destination as the shell needs it.
struct Exit {
    name: Name,
    sink: Arc<dyn Sink>,
    timeout: Duration,
}

pub(super) struct Worker {
    exits: Vec<Exit>,
    engine: Engine,
    started: Instant,
    monitor: Monitor,
    inbox: mpsc::Sender<Input>,
    answers: mpsc::Receiver<Input>,
    questions: Questions,
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
        let exits: Vec<Exit> = destinations.iter().map(exit).collect();
        let count = exits.len();
        let destinations = destinations.into_iter().map(|(dest, _)| dest).collect();
        let (worker, ttl) = (settings.worker.clone(), settings.lease_ttl);
        let seed = uuid::Uuid::now_v7().as_u64_pair().1;
        let engine = Engine::new(settings, destinations, partitions, seed, crate::engine::mistakes::Mistakes::NONE);
        let (inbox, answers) = mpsc::channel(INBOX);
        monitor.began();
        let asker = Asker { ports, worker, ttl, monitor: monitor.clone() };
        let (questions, under_way) =
            (Questions::new(asker, inbox.clone()), UnderWay::new(count, monitor.clone(), tracer));
        Self { exits, engine, started: Instant::now(), monitor, inbox, answers, questions, under_way }
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
                Action::Probe { walk } => {
                    let exit = &self.exits[walk];
                    let (sink, timeout) = (exit.sink.clone(), exit.timeout);
                    self.questions.answer(async move { Input::Probed { walk, result: probe(sink, timeout).await } });
                }
                action => self.questions.ask(now, action, |walk| self.exits[walk].name.clone()),
            }
        }
    }
}
