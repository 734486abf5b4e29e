//! The simulated world: one queue of events in time, and what each of them does.

use std::hash::{BuildHasher, Hash, Hasher};
use std::time::Duration;

use foldhash::fast::{FixedState, FoldHasher};

use self::acts::Act;
use super::checks::{Checks, Spot, Violation};
use super::destinations::{Answer, Heard, receive};
use super::dice::Dice;
use super::event::{Event, Queue, Scheduled};
use super::node::{Flight, Node};
use super::plan::Plan;
use super::planted::Planted;
use super::store::Store;
use super::{Outcome, clients};
use crate::destination::Name;
use crate::engine::{
    Action, Engine, HandOver, HandOverId, Input, Served, StoreAnswer, StoreCall, StoreFailure, StoreRequest, Tail,
};
use crate::journal::{Position, WorkerId};
use crate::notify::Watcher;
use crate::sink::{self, Delivery, Run};
use crate::stores::memory::Core;

mod acts;
mod drain;
pub(super) mod outage;
pub(super) mod receivers;
mod schedule;
mod small;
pub(super) mod tenants;
mod workers;

/// Wall time at the start of every schedule.
const EPOCH: Duration = Duration::from_secs(1_000_000);

/// More wakes in a row without anything to do are a loop.
const MOST_IDLE_WAKES: u32 = 20;

pub(super) struct World {
    dice: Dice,
    plan: Plan,
    planted: Option<Planted>,
    store: Store,
    names: Vec<Name>,
    checks: Checks,
    nodes: Vec<Option<Node>>,
    lives: Vec<u64>,
    started: usize,
    down_until: Vec<Duration>,
    queue: Queue,
    now: Duration,
    skew: i64,
    order: u64,
    next_id: u128,
    digest: FoldHasher<'static>,
    done: bool,
    /// What was not at rest when it was looked for last.
    restless: Option<Spot>,
    /// What may befall a small world, and how often still; in others everything is scheduled.
    acts: Vec<(Act, usize)>,
    pub(super) tell: Option<Box<dyn FnMut(String)>>,
    /// Who tells people what is wrong.
    watcher: Option<Watcher>,
    /// Destination, type and time of all arrivals, where somebody wants to know.
    arrival_times: Option<Vec<(String, String, Duration)>>,
}

impl World {
    pub(super) fn new(seed: u64, planted: Option<Planted>) -> Self {
        let mut dice = Dice::new(seed);
        let plan = Plan::draw(&mut dice, planted.is_some_and(Planted::needs_contention));
        let mut world = Self::of(plan, dice, planted);
        world.schedule_everything();
        world
    }

    /// A world in which nothing is scheduled yet.
    fn of(plan: Plan, dice: Dice, planted: Option<Planted>) -> Self {
        let mut core = Core::new(plan.partitions);
        core.set_now(EPOCH);
        core.register(&plan.destinations);
        let with_letters = plan.destinations.iter().filter(|dest| dest.dead_letters_to.is_some());
        let with_letters = with_letters.map(|dest| dest.name.clone()).collect();
        Self {
            dice,
            planted,
            store: Store::new(core, planted, with_letters),
            names: plan.destinations.iter().map(|dest| dest.name.clone()).collect(),
            checks: Checks::default(),
            nodes: (0..plan.workers).map(|_| None).collect(),
            lives: vec![0; plan.workers],
            started: 0,
            down_until: vec![Duration::ZERO; plan.destinations.len()],
            queue: Queue::new(),
            now: Duration::ZERO,
            skew: 0,
            order: 0,
            next_id: 0,
            digest: FixedState::default().build_hasher(),
            done: false,
            restless: None,
            acts: Vec::new(),
            tell: None,
            watcher: None,
            arrival_times: None,
            plan,
        }
    }

    fn at(&mut self, at: Duration, node: usize, event: Event) {
        self.order += 1;
        let (order, life) = (self.order, self.lives[node]);
        self.queue.push(Scheduled { at, order, node, life, event: Box::new(event) });
    }

    /// Names one life of a worker.
    fn life(&self, n: usize) -> (usize, u64) {
        (n, self.lives[n])
    }

    fn calm(&self) -> bool {
        self.now >= self.plan.faults_end
    }

    pub(super) fn run(mut self) -> Outcome {
        self.run_to_end();
        self.outcome()
    }

    fn run_to_end(&mut self) {
        while let Some(next) = self.queue.pop() {
            self.now = next.at;
            let since_start = self.now.as_millis() as i64 + self.skew;
            self.store.core.set_now(EPOCH + Duration::from_millis(since_start.max(0) as u64));
            if let Some(tell) = &mut self.tell {
                tell(format!("{:>8.1?} worker {} {:?}", self.now, next.node, next.event));
            }
            (next.at, next.order, next.node, std::mem::discriminant(&*next.event)).hash(&mut self.digest);
            self.befall(&next);
            self.step(next);
            if self.done || self.now > self.plan.give_up || !self.checks.violations.is_empty() {
                break;
            }
        }
        if self.now > self.plan.give_up {
            self.checks.violated(Violation::Stuck);
            if let Some(tell) = &mut self.tell {
                self.store.core.statuses().for_each(|status| tell(format!("left: {status:?}")));
                self.nodes.iter().for_each(|node| tell(format!("{node:#?}")));
            }
        }
    }

    fn outcome(mut self) -> Outcome {
        self.checks.arrivals.hash(&mut self.digest);
        Outcome {
            committed: self.store.newest().seq,
            arrivals: self.checks.arrivals,
            duplicates: self.checks.duplicates,
            violations: self.checks.violations,
            digest: self.digest.finish(),
        }
    }

    fn step(&mut self, next: Scheduled) {
        let node = next.node;
        match *next.event {
            Event::Begin => self.begin(),
            Event::Commit(messages) => drop(self.store.core.append(messages)),
            Event::Outage { destination, until } => self.down_until[destination] = until,
            Event::ClockJump(by) => {
                self.skew += by;
                self.checks.leases_ended_early |= by > 0;
                self.checks.clock_jumped = true;
                self.cut_off(node);
            }
            Event::Replicate => self.store.replicate(),
            Event::FailOver => {
                if let Some(gone) = self.store.fail_over() {
                    self.checks.failed_over(gone);
                }
                self.cut_off(node);
            }
            Event::Operate => {
                clients::operate(&self.plan, &mut self.store.core, &mut self.checks, &mut self.dice);
            }
            Event::Settle(callback) => self.settle(callback),
            Event::Start => self.start(node),
            Event::Look => self.look(),
            Event::Crash => self.crash(node),
            Event::Drained => self.look_whether_drained(),
            // Packets outlive their sender.
            Event::Arrive { destination, id, runs } => self.arrive(node, next.life, destination, id, &runs),
            Event::Request(request) => self.request(node, next.life, request),
            Event::LateRequest { worker, request } => self.execute_late(&worker, &request),
            Event::Freeze(length) => {
                if let Some(frozen) = &mut self.nodes[node] {
                    frozen.frozen_until = self.now + length;
                }
            }
            Event::Stop => self.live(node, Event::Stop),
            event if next.life == self.lives[node] => self.live(node, event),
            _ => {}
        }
    }

    /// What happens inside a worker that may be frozen.
    fn live(&mut self, n: usize, event: Event) {
        let Some(node) = &mut self.nodes[n] else { return };
        if node.frozen_until > self.now {
            let at = node.frozen_until;
            if matches!(event, Event::Wake) {
                node.wake_at = Some(at);
            }
            return self.at(at, n, event);
        }
        let clock = node.clock(self.now);
        match event {
            Event::Wake if node.wake_at != Some(self.now) => return,
            Event::Wake => {
                node.wake_at = None;
                node.idle_wakes += 1;
            }
            Event::Answer(input) => {
                self.observe(n, &input);
                if let Some(node) = &mut self.nodes[n] {
                    node.engine.handle(clock, input);
                }
            }
            Event::Stop => node.engine.handle(clock, Input::Stop),
            Event::HandOver(hand_over) => self.hand_over(n, hand_over),
            _ => {}
        }
        self.poll(n);
    }

    fn begin(&mut self) {
        let now = self.store.core.now();
        let messages = clients::transaction(&mut self.plan, now, &mut self.next_id, &mut self.dice);
        if !self.dice.percent(self.plan.rollback) {
            let at = self.now + self.dice.millis(0, 300);
            self.at(at, 0, Event::Commit(messages));
        }
    }
}

fn set_aside(counts: &crate::inspect::DestinationCounts) -> usize {
    (counts.retrying
        + counts.scheduled
        + counts.throttled
        + counts.paused_deliveries
        + counts.awaiting
        + counts.replay
        + counts.waiting) as usize
}
