//! The workers of the simulated world: real engines, whose requests and hand-overs take time and may be lost. Nothing is decided
//! here: requests are carried to the store, runs to the destinations, and answers back.

use super::*;
use crate::destination::Destination;

impl World {
    pub(super) fn start(&mut self, n: usize) {
        if self.nodes[n].is_some() {
            return;
        }
        self.lives[n] += 1;
        self.started += 1;
        let settings = self.plan.settings(self.started);
        let worker = settings.worker.clone();
        let mistakes = Planted::in_engine(self.planted);
        let seed = self.dice.next();
        let served = |destination: &Destination| Served {
            destination: destination.clone(),
            runs_at_once: self.plan.runs_at_once,
        };
        let destinations = self.plan.destinations.iter().map(served).collect();
        let engine = Engine::new(&settings, destinations, self.plan.partitions, seed, mistakes);
        let tail = Tail::new(self.plan.tail_bytes, mistakes);
        self.nodes[n] = Some(Node::new(engine, tail, worker, self.now));
        self.poll(n);
    }

    pub(super) fn crash(&mut self, n: usize) {
        if self.nodes[n].take().is_some() {
            self.lives[n] += 1;
            let at = self.now + self.dice.millis(10, self.plan.longest_absence);
            self.at(at, n, Event::Start);
        }
    }

    /// Lets the engine say what to do, and does it.
    pub(super) fn poll(&mut self, n: usize) {
        let Some(node) = &mut self.nodes[n] else { return };
        let clock = node.clock(self.now);
        let mut actions = node.engine.read_ahead(clock);
        actions.extend(node.engine.poll(clock));
        if !actions.is_empty() {
            node.idle_wakes = 0;
        } else if node.idle_wakes > MOST_IDLE_WAKES {
            self.checks.violated(Violation::Spinning);
        }
        node.engine.take_events();
        if node.engine.is_stopped() {
            self.nodes[n] = None;
            self.lives[n] += 1;
            let at = self.now + self.dice.millis(10, 1_000);
            return self.at(at, n, Event::Start);
        }
        let (unsettled, lanes) = (node.engine.unsettled(), self.names.len() * usize::from(self.plan.partitions));
        // Beside what a lane works on, one batch may have arrived for it and one be under way.
        let window = lanes * (self.plan.window + 2 * self.plan.read_batch);
        let set_aside = || self.store.core.overview().destinations.iter().map(set_aside).sum();
        self.checks.memory(unsettled, window, set_aside);
        let started = node.started;
        if let Some(wake) = node.engine.wake_at(clock) {
            let wake = (started + wake).max(self.now + Duration::from_micros(100));
            if node.wake_at.is_none_or(|planned| wake < planned) {
                node.wake_at = Some(wake);
                self.at(wake, n, Event::Wake);
            }
        }
        for action in actions {
            self.perform(n, clock, action);
        }
    }

    fn perform(&mut self, n: usize, clock: Duration, action: Action) {
        match action {
            Action::Request(request) => self.send(n, clock, request),
            Action::HandOver(hand_over) => {
                let at = self.now + self.dice.millis(0, 1);
                self.at(at, n, Event::HandOver(hand_over));
            }
            Action::Cancel { ids } => {
                if let Some(node) = &mut self.nodes[n] {
                    ids.iter().for_each(|id| drop(node.flights.remove(id)));
                    node.cancelled.extend(ids);
                }
            }
            Action::Probe { destination } => {
                let down = self.down_until[destination] > self.now;
                let result = if down { Err(sink::Error::unreachable("down")) } else { Ok(()) };
                let at = self.now + self.dice.millis(1, 5);
                self.at(at, n, Event::Answer(Input::Probed { destination, result }));
            }
        }
    }

    /// A request is on its way to the store.
    fn send(&mut self, n: usize, clock: Duration, request: StoreRequest) {
        let Some(node) = &mut self.nodes[n] else { return };
        node.asked(clock, &request);
        let cut_off = node.cut_off_until.saturating_sub(self.now);
        let delay = match request.call {
            // Hints wake a worker early; without them it waits its interval.
            StoreCall::Advance { wait } if self.plan.hints => wait.min(self.dice.millis(5, 120)),
            StoreCall::Advance { wait } => wait,
            _ if !self.calm() && self.dice.percent(self.plan.slow_request) => self.dice.millis(50, 700),
            _ => self.dice.millis(0, 5),
        };
        self.at(self.now + cut_off + delay, n, Event::Request(request));
    }

    /// Whatever makes a clock jump may also keep a worker from the store for a while. It learns late that its leases are gone.
    pub(super) fn cut_off(&mut self, n: usize) {
        let until = self.now + self.dice.millis(0, 600);
        if let Some(node) = &mut self.nodes[n] {
            node.cut_off_until = until;
        }
    }

    /// A request reaches the store, unless it is lost on the way or takes too long; the answer may be lost, too.
    pub(super) fn request(&mut self, n: usize, life: u64, request: StoreRequest) {
        let Some(node) = self.nodes[n].as_ref().filter(|_| life == self.lives[n]) else { return };
        let worker = node.worker.clone();
        if let StoreCall::Release { leases, .. } = &request.call
            && node.has_in_flight_for(leases)
        {
            self.checks.violated(Violation::ReleasedInFlight);
        }
        if !self.calm() && self.dice.percent(self.plan.time_out) {
            return self.time_out(n, worker, request);
        }
        let lost = !self.calm() && self.dice.percent(self.plan.lost_request);
        let reply_lost = !self.calm() && self.dice.percent(self.plan.lost_reply);
        let clock = node.clock(self.now);
        let (store, checks) = (&mut self.store, &mut self.checks);
        let Some(node) = &mut self.nodes[n] else { return };
        let result = node.carry(clock, &request.call, || {
            let answer = if lost { Err(StoreFailure::Failed) } else { execute(store, &worker, &request, checks) };
            if reply_lost { Err(StoreFailure::Failed) } else { answer }
        });
        let at = self.now + self.dice.millis(0, 5);
        self.at(at, n, Event::Answer(Input::Answered { id: request.id, result }));
    }

    /// The worker stops waiting; the store carries the request out before or after that.
    fn time_out(&mut self, n: usize, worker: WorkerId, request: StoreRequest) {
        let given_up = self.now + self.dice.millis(50, 600);
        let result = Err(StoreFailure::TimedOut);
        self.at(given_up, n, Event::Answer(Input::Answered { id: request.id, result }));
        let carried_out = self.now + self.dice.millis(1, 2_000);
        self.at(carried_out, n, Event::LateRequest { worker, request });
    }

    /// A request that nobody waits for any more.
    pub(super) fn execute_late(&mut self, worker: &WorkerId, request: &StoreRequest) {
        drop(execute(&mut self.store, worker, request, &mut self.checks));
    }

    /// A worker is about to call a sink.
    pub(super) fn hand_over(&mut self, n: usize, hand_over: HandOver) {
        let (destination, id) = (hand_over.destination, hand_over.id);
        let Some(node) = &mut self.nodes[n] else { return };
        if node.cancelled.contains(&id) {
            return;
        }
        let runs = match hand_over.take(node.clock(self.now)) {
            Ok(runs) => runs,
            Err(withheld) => return self.at(self.now, n, Event::Answer(withheld)),
        };
        for run in &runs {
            self.hand_over_run(n, destination, id, run);
        }
        let at = self.now + self.dice.millis(0, 3);
        self.at(at, n, Event::Arrive { destination, id, runs });
    }

    /// One run of a hand-over leaves its worker.
    fn hand_over_run(&mut self, n: usize, destination: usize, id: HandOverId, run: &Run) {
        let life = self.life(n);
        let Some(node) = &mut self.nodes[n] else { return };
        let (epoch, held_until) = node.held.get(&run.partition).copied().unwrap_or_default();
        if node.clock(self.now) >= held_until {
            self.checks.violated(Violation::WithoutLease);
        }
        if run.key().is_some_and(|key| node.has_in_flight(destination, &key)) {
            self.checks.violated(Violation::TwoRunsOfAKey);
        }
        let clock = node.clock(self.now);
        let paused = |delivery: &Delivery| node.knows_as_paused(clock, &run.destination, &delivery.message);
        if run.deliveries.iter().any(paused) {
            self.checks.violated(Violation::PausedTenantServed);
        }
        for delivery in &run.deliveries {
            let spot: Spot = (run.destination.clone(), delivery.position);
            let status = self.store.core.status(&spot.0, spot.1);
            // A zombie, whose lease another worker has by now, may repeat; it cannot record it.
            if self.store.is_current(run.partition, epoch) {
                self.checks.handed_over(life, epoch, &spot, status);
                if delivery.hand_over.is_some() {
                    let earlier = self.store.core.earlier_of_key(&spot.0, spot.1);
                    let unanswered =
                        |at: &Position| self.store.core.awaited(&spot.0, *at).is_some_and(|one| one.is_open());
                    let earlier: Vec<Position> = earlier.into_iter().filter(unanswered).collect();
                    self.checks.handed_over_to_be_answered(&spot, status, &earlier);
                }
            }
            let due = delivery.message.due_at.map(|at| at.as_millisecond());
            let store_clock = self.store.core.now().as_millis() as i64;
            if self.plan.clock_jumps == 0 && self.plan.operator_actions == 0 && due.is_some_and(|due| due > store_clock)
            {
                self.checks.violated(Violation::TooEarly);
            }
        }
        node.flights.entry(id).or_default().push(Flight { destination, run: run.clone(), epoch });
    }

    /// Runs reach their destination, one after another. One that kills its worker keeps those behind it from getting there.
    pub(super) fn arrive(&mut self, n: usize, life: u64, destination: usize, id: HandOverId, runs: &[Run]) {
        let alive = life == self.lives[n];
        let timeout = self.plan.destinations[destination].timeout;
        let mut heard = Heard::default();
        for run in runs {
            match self.arrive_run(destination, run) {
                Answer::Death if alive => return self.crash(n),
                Answer::Death => return,
                Answer::Told(outcome, latency) => heard.add(Some((outcome, latency)), timeout),
                Answer::Silence => heard.add(None, timeout),
            }
        }
        if self.dice.percent(50) {
            heard.all_or_nothing();
        }
        let outcomes = runs.iter().zip(heard.outcomes).map(|(run, told)| told.unwrap_or_else(|| self.unheard(run)));
        let outcomes = outcomes.collect();
        if alive {
            let input = Input::Delivered { destination, id, outcomes, took: heard.after };
            self.at(self.now + heard.after, n, Event::Answer(input));
        }
    }

    fn arrive_run(&mut self, destination: usize, run: &Run) -> Answer {
        let down = self.down_until[destination] > self.now;
        let calm = self.calm();
        let core = &self.store.core;
        let dest = &self.plan.destinations[destination];
        let mut received = Vec::new();
        let arrived = |checks: &mut Checks, nth: usize| {
            received.push(nth);
            let delivery = &run.deliveries[nth];
            let spot = (run.destination.clone(), delivery.position);
            let earlier = || core.earlier_of_key(&run.destination, delivery.position);
            checks.arrival(spot, &delivery.message, dest.policy.on_dead, earlier);
        };
        let answer = receive(run, &self.plan, down, calm, &mut self.dice, &mut self.checks, arrived);
        if let (Some(times), false) = (&mut self.arrival_times, down) {
            let arrived =
                |delivery: &Delivery| (run.destination.to_string(), delivery.message.event_type.to_string(), self.now);
            times.extend(run.deliveries.iter().map(arrived));
        }
        self.received(destination, run, &received);
        answer
    }

    /// A run that its worker gives up: that spends an attempt of its first message, and all of it may have arrived.
    fn unheard(&mut self, run: &Run) -> sink::Outcome {
        let spot = |delivery: &Delivery| (run.destination.clone(), delivery.position);
        if let Some(first) = run.deliveries.first() {
            *self.checks.failures.entry(spot(first)).or_default() += 1;
        }
        self.checks.lost_acks.extend(run.deliveries.iter().map(spot));
        sink::Outcome::stopped(0, sink::Error::retry("timeout"))
    }

    /// What an observer learns from an answer before the engine does.
    pub(super) fn observe(&mut self, n: usize, input: &Input) {
        let life = self.life(n);
        let Some(node) = &mut self.nodes[n] else { return };
        node.observe(node.clock(self.now), input);
        let Input::Delivered { id, outcomes, .. } = input else { return };
        for (flight, outcome) in node.flights.remove(id).unwrap_or_default().iter().zip(outcomes) {
            // What was only handed over may have to go again.
            let final_word = flight.run.deliveries.iter().take(outcome.confirmed);
            for delivery in final_word.filter(|delivery| delivery.hand_over.is_none()) {
                let spot = (flight.run.destination.clone(), delivery.position);
                self.checks.confirmed(life, flight.epoch, spot);
            }
            if let Some(failed) = flight.run.deliveries.get(outcome.confirmed) {
                self.checks.survived(&(flight.run.destination.clone(), failed.position));
            }
        }
    }
}

fn execute(
    store: &mut Store,
    worker: &WorkerId,
    request: &StoreRequest,
    checks: &mut Checks,
) -> Result<StoreAnswer, StoreFailure> {
    store.execute(worker, &request.call, checks).map_err(|_| StoreFailure::Failed)
}
