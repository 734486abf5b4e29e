//! The engine's shell: runs a state machine against a real store, real sinks and a real clock.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::deliveries::{Deliveries, ServedDestination};
use super::store_calls::{StoreCalls, StoreClient};
use super::telemetry::{self, Monitor, Tracer};
use crate::destination::Destination;
use crate::engine::mistakes::Mistakes;
use crate::engine::{Action, Engine, Input, Served};
use crate::settings::Settings;
use crate::sink::Sink;

/// Answers that may wait for the engine; whoever has one more waits.
const INBOX: usize = 1_024;
/// How often others are shown how the relay is.
const MONITOR_INTERVAL: Duration = Duration::from_millis(50);

/// The engine on tokio, with a store, sinks and a clock.
pub(super) struct Worker {
    destinations: Vec<ServedDestination>,
    engine: Engine,
    /// When the engine's time began.
    epoch: Instant,
    monitor: Monitor,
    inbox: mpsc::Sender<Input>,
    answers: mpsc::Receiver<Input>,
    store_calls: StoreCalls,
    deliveries: Deliveries,
}

impl Worker {
    /// A worker that has done nothing yet.
    pub(super) fn new(
        store: StoreClient,
        settings: &Settings,
        destinations: Vec<(Destination, Arc<dyn Sink>)>,
        partitions: u16,
        monitor: Monitor,
        tracer: Option<Arc<dyn Tracer>>,
    ) -> Self {
        let (known, served) = destinations
            .into_iter()
            .map(|(destination, sink)| {
                let destination = Destination { resumes: sink.resumes(), ..destination };
                let (runs_at_once, timeout) = (sink.runs_at_once(), destination.timeout);
                (Served { destination, runs_at_once }, ServedDestination::new(sink, timeout))
            })
            .unzip();
        let seed = uuid::Uuid::now_v7().as_u64_pair().1;
        let (inbox, answers) = mpsc::channel(INBOX);
        let epoch = Instant::now();
        monitor.began();
        Self {
            destinations: served,
            engine: Engine::new(settings, known, partitions, seed, Mistakes::NONE),
            epoch,
            store_calls: StoreCalls::new(store, inbox.clone()),
            deliveries: Deliveries::new(epoch, monitor.clone(), tracer),
            monitor,
            inbox,
            answers,
        }
    }

    /// Runs until the engine has stopped, which it does some time after `until` is ready.
    pub(super) async fn run(mut self, until: impl Future<Output = ()>) {
        let mut until = pin!(until.fuse());
        let mut asked_to_stop = false;
        let mut monitored_at = Instant::now();
        let mut inputs = Vec::new();
        while !self.engine.is_stopped() {
            let now = self.epoch.elapsed();
            self.act(now, &mut inputs);
            if monitored_at.elapsed() >= MONITOR_INTERVAL {
                self.monitor.publish(self.engine.snapshot());
                monitored_at = Instant::now();
            }
            if inputs.is_empty() {
                let wake = self.epoch + self.engine.wake_at(now).unwrap_or(now + Duration::from_secs(1));
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
            self.tell(&mut inputs);
        }
        self.monitor.publish(self.engine.snapshot());
        self.monitor.ended();
    }

    /// Does what the engine says. Answers that are there at once go to `inputs`.
    fn act(&mut self, now: Duration, inputs: &mut Vec<Input>) {
        let actions = self.engine.read_ahead(now);
        self.perform_all(actions, inputs);
        let actions = self.engine.poll(now);
        self.perform_all(actions, inputs);
        let events = self.engine.take_events();
        self.monitor.saw(&events);
        telemetry::log(events);
    }

    /// Tells the engine what happened.
    fn tell(&mut self, inputs: &mut Vec<Input>) {
        let now = self.epoch.elapsed();
        self.monitor.heard(inputs);
        for input in inputs.drain(..) {
            if let Input::Delivered { id, .. } = &input {
                self.deliveries.answered(*id);
            }
            self.engine.handle(now, input);
        }
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
    fn perform_all(&mut self, actions: Vec<Action>, inputs: &mut Vec<Input>) {
        for action in actions {
            match action {
                Action::Request(request) => self.store_calls.start(request),
                Action::HandOver(hand_over) => {
                    let served = &self.destinations[hand_over.destination];
                    inputs.extend(self.deliveries.start(hand_over, served, &self.inbox));
                }
                Action::Cancel { ids } => self.deliveries.cancel(&ids),
                Action::Probe { destination } => {
                    let probe = self.destinations[destination].probe();
                    self.store_calls.answer(async move { Input::Probed { destination, result: probe.await } });
                }
            }
        }
    }
}
