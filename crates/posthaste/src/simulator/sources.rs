//! A world of faults for sources: some workers, one foreign log, and a journal.
//!
//! The engine is the real one; the store is the executable specification. The log repeats, breaks off and changes its leader, and reorders
//! nothing; requests, answers and workers are lost; operators pause, resume and rewind. Then the faults stop, and everything must be in
//! the journal once and in order, with the checkpoint never ahead.

use std::collections::BTreeSet;
use std::time::Duration;

use self::checks::Stored;
use self::log::Log;
use self::node::Node;
use super::checks::Violation;
use super::dice::Dice;
use super::event::{Queue, Scheduled};
use super::planted::Planted;
use crate::destination::Name;
use crate::engine::StoreFailure;
use crate::engine::mistakes::Mistakes;
use crate::engine::source::{ReadingId, SourceAction, SourceEvent, SourceInput};
use crate::journal::Ingest;
use crate::stores::memory::Core;

mod checks;
mod ingest;
mod log;
mod node;
mod operator;

const WORKERS: usize = 3;
const FAULTS_UNTIL: Duration = Duration::from_secs(20);
const DRAINED_BY: Duration = Duration::from_secs(120);
const TTL: Duration = Duration::from_secs(2);
const SOURCE: &str = "log";

#[derive(Debug)]
enum Event {
    /// Somebody appends to the log.
    Append,
    /// A worker wakes up by itself.
    Wake,
    /// A request of a worker reaches the store or the log.
    Request(SourceAction),
    /// One that nobody waits for any more is carried out after all.
    Late(Ingest),
    Answer(SourceInput),
    Crash,
    Start,
    Freeze(Duration),
    Operate,
}

pub(super) struct SourceWorld {
    dice: Dice,
    planted: Option<Planted>,
    now: Duration,
    order: u64,
    queue: Queue<Event>,
    store: Core,
    source: Name,
    log: Log,
    nodes: Vec<Node>,
    /// Readers at the end of the log: which life of which worker.
    waiting: Vec<(usize, u64, SourceAction)>,
    stored: Stored,
    rewound: bool,
    violations: BTreeSet<Violation>,
    pub(super) digest: u64,
}

impl SourceWorld {
    pub(super) fn new(seed: u64, planted: Option<Planted>) -> Self {
        let mut dice = Dice::new(seed ^ 0x5eed_50c3);
        let mistakes = Planted::in_engine(planted);
        let log = Log::new(dice.next());
        let nodes = (0..WORKERS).map(|n| Node::new(n, mistakes)).collect();
        Self {
            planted,
            now: Duration::ZERO,
            order: 0,
            queue: Queue::new(),
            store: Core::new(8),
            source: SOURCE.into(),
            log,
            nodes,
            waiting: Vec::new(),
            stored: Stored::default(),
            rewound: false,
            violations: BTreeSet::new(),
            digest: seed,
            dice,
        }
    }

    /// Runs one schedule. Returns the number of events of the log, and what went wrong.
    pub(super) fn run(mut self) -> (u64, Vec<Violation>, u64) {
        self.plan();
        while let Some(Scheduled { at, order, node, life, event }) = self.queue.pop() {
            if at > DRAINED_BY {
                break;
            }
            self.now = self.now.max(at);
            self.store.set_now(Duration::from_secs(1_000_000) + self.now);
            self.digest = self.digest.wrapping_mul(0x0100_0000_01b3) ^ (order ^ at.as_micros() as u64);
            self.happen(*event, node, life);
            if self.now >= FAULTS_UNTIL && self.is_drained() {
                break;
            }
        }
        self.check_the_end();
        (self.log.len() as u64, self.violations.into_iter().collect(), self.digest)
    }

    fn plan(&mut self) {
        for node in 0..WORKERS {
            let at = self.dice.millis(0, 300);
            self.at(at, node, Event::Start);
        }
        for _ in 0..self.dice.below(120) {
            let at = self.dice.between(Duration::ZERO, FAULTS_UNTIL);
            self.at(at, 0, Event::Append);
        }
        for _ in 0..self.dice.below(8) {
            let (at, node) =
                (self.dice.between(Duration::ZERO, FAULTS_UNTIL), self.dice.below(WORKERS as u64) as usize);
            let event = if self.dice.percent(50) { Event::Crash } else { Event::Freeze(self.dice.millis(500, 6_000)) };
            self.at(at, node, event);
        }
        for _ in 0..self.dice.below(4) {
            let at = self.dice.between(Duration::ZERO, FAULTS_UNTIL);
            self.at(at, 0, Event::Operate);
        }
        // Whatever an operator did, somebody ends a pause.
        self.at(FAULTS_UNTIL, 0, Event::Operate);
    }

    fn at(&mut self, at: Duration, node: usize, event: Event) {
        let life = self.nodes[node].life;
        self.order += 1;
        self.queue.push(Scheduled { at, order: self.order, node, life, event: Box::new(event) });
    }

    fn has_faults(&self) -> bool {
        self.now < FAULTS_UNTIL
    }

    fn happen(&mut self, event: Event, node: usize, life: u64) {
        let is_of_the_world =
            matches!(event, Event::Append | Event::Operate | Event::Late(..) | Event::Start | Event::Crash);
        if !is_of_the_world && self.nodes[node].life != life {
            return;
        }
        match event {
            Event::Append => self.append(),
            Event::Operate => self.operate(),
            Event::Late(ingest) => drop(self.ingest(&ingest)),
            Event::Crash => {
                self.nodes[node].die();
                let at = self.now + self.dice.millis(100, 3_000);
                self.at(at, node, Event::Start);
            }
            Event::Start => {
                self.nodes[node].start();
                self.turn(node, None);
            }
            Event::Freeze(how_long) => self.nodes[node].frozen_until = self.now + how_long,
            Event::Wake => {
                self.nodes[node].wakes(self.now);
                self.turn(node, None);
            }
            Event::Answer(input) => self.turn(node, Some(input)),
            Event::Request(action) => self.request(node, action),
        }
    }

    /// One turn of a worker's loop.
    fn turn(&mut self, node: usize, input: Option<SourceInput>) {
        let frozen_until = self.nodes[node].frozen_until;
        if frozen_until > self.now && self.has_faults() {
            return self.at(frozen_until, node, input.map_or(Event::Wake, Event::Answer));
        }
        let now = self.now;
        let Some(engine) = self.nodes[node].engine.as_mut() else { return };
        if let Some(input) = input {
            engine.handle(now, input);
        }
        let actions = engine.poll(now);
        let (wake, backlog, told) = (engine.wake_at(), engine.backlog(), engine.take_events());
        if backlog > node::WINDOW {
            self.violations.insert(Violation::MemoryExceeded);
        }
        if self.nodes[node].is_spinning(now, actions.is_empty()) {
            self.violations.insert(Violation::Spinning);
            return;
        }
        self.stopped(&told);
        for action in actions {
            let at = self.now + self.dice.millis(0, 20);
            self.at(at, node, Event::Request(action));
        }
        if let Some(wake) = wake.map(|wake| wake.max(now)).filter(|wake| self.nodes[node].plans_to_wake(*wake)) {
            self.at(wake, node, Event::Wake);
        }
    }

    /// Somebody mends the mapping of an event that has stopped the source, and resumes it a while later.
    fn stopped(&mut self, told: &[SourceEvent]) {
        if told.iter().any(|event| matches!(event, SourceEvent::Stopped { .. })) {
            self.log.mend();
            self.stored.check_again();
            let at = self.now + self.dice.millis(100, 3_000);
            self.at(at, 0, Event::Operate);
        }
    }

    /// Carries a request out and its answer back, or loses one of them.
    fn request(&mut self, node: usize, action: SourceAction) {
        let is_lost = self.has_faults() && self.dice.percent(4);
        let answer = match action {
            SourceAction::Close { .. } | SourceAction::Settled { .. } => return,
            SourceAction::Refuse { .. } => unreachable!("the store of the simulator refuses no event"),
            SourceAction::Open { reading, after } => {
                let (reading, has_faults) = ((node, self.nodes[node].life, reading), self.has_faults());
                self.log.open(&mut self.dice, reading, after, has_faults)
            }
            SourceAction::Read { reading, limit } => {
                let Some(answer) = self.read(node, reading, limit) else { return };
                answer
            }
            SourceAction::Lease { held, report } if !is_lost => {
                let worker = &self.nodes[node].worker;
                SourceInput::Leased(Ok(self.store.lease_source(worker, &self.source, TTL, held, &report)))
            }
            SourceAction::Lease { .. } => SourceInput::Leased(Err(StoreFailure::Failed)),
            SourceAction::Release { held } => {
                self.store.release_source(&self.nodes[node].worker, &self.source, held);
                SourceInput::Released
            }
            SourceAction::Ingest { id, ingest } => {
                SourceInput::Ingested { id, result: self.try_ingest(ingest, is_lost) }
            }
        };
        let at = self.now + self.dice.millis(0, 30);
        self.at(at, node, Event::Answer(answer));
    }

    /// Reads now, or waits until something is appended.
    fn read(&mut self, node: usize, reading: ReadingId, limit: usize) -> Option<SourceInput> {
        let (life, has_faults) = (self.nodes[node].life, self.has_faults());
        let read = self.log.read(&mut self.dice, (node, life, reading), limit, has_faults);
        if read.is_none() {
            self.waiting.push((node, life, SourceAction::Read { reading, limit }));
        }
        read
    }

    /// Whoever waits hears of it.
    fn append(&mut self) {
        self.log.append(&mut self.dice);
        for (node, life, read) in std::mem::take(&mut self.waiting) {
            if self.nodes[node].life == life {
                let at = self.now + self.dice.millis(0, 50);
                self.at(at, node, Event::Request(read));
            }
        }
    }
}
