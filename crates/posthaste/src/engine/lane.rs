//! One destination's walk over one partition.
//!
//! The lane owns the order: it decides which message of a key may go next and records what became of it. It knows no
//! clock, store or sink; the walk feeds it entries and outcomes and asks it for runs and commits.

use std::collections::HashSet;
use std::time::Duration;

use foldhash::{HashMap, HashMapExt};

use self::changes::Changes;
use self::cursor::Slots;
use self::key_queue::{Hold, Item};
pub(super) use self::key_queues::LineId;
use self::key_queues::Lines;
use super::mistakes::{Mistake, Mistakes};
use crate::destination::{Destination, Name};
use crate::journal::{Epoch, LaneState, Lease, ParkedState, Partition, Position};
use crate::retry::OnDead;
use crate::sink;

pub(super) use self::serve::{Suspects, Taken, Terms};

mod changes;
mod commit;
mod cursor;
mod intake;
pub(super) mod key_queue;
mod key_queues;
mod serve;
mod settle;

/// Why and how a delivery is set aside.
#[derive(Debug)]
pub(super) struct Aside {
    pub(super) state: ParkedState,
    /// `None` is never, unless someone asks.
    pub(super) due_in: Option<Duration>,
    pub(super) failure: Option<Failure>,
}

/// An attempt that did not succeed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: sink::Error,
    pub(super) progress: Option<Vec<u8>>,
    pub(super) took: Duration,
}

/// How eagerly the cursor wants to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dirt {
    Clean,
    /// Only messages of other destinations were passed; some time is soon enough.
    Passed,
    Settled,
}

/// What was in flight when the holder before died is delivered with care: see `serve`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    /// Nothing beyond this was there to be in flight.
    pub(super) until: Position,
    /// Nor more than this many.
    pub(super) messages: usize,
    /// Nor more than this many of one key.
    pub(super) messages_per_key: usize,
    /// Parked deliveries that were due then have been looked at.
    pub(super) due_seen: bool,
}

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) partition: Partition,
    pub(super) epoch: Epoch,
    destination: Name,
    on_dead: OnDead,
    mistakes: Mistakes,
    pub(super) slots: Slots,
    lines: Lines,
    held_keys: usize,
    guard: Option<Guard>,
    /// Messages in memory that are not settled, and their weight.
    pub(super) unsettled: usize,
    pub(super) bytes: usize,
    /// A read that includes this lane is under way.
    pub(super) reading: bool,
    /// Everything up to here was read for this lane, though it may not have been taken in yet.
    pub(super) asked_to: Position,
    /// The lane finishes what is in flight and takes on nothing new.
    pub(super) draining: bool,
    parked_in_memory: HashSet<Position>,
    /// Parked positions of which the store may think otherwise; with the number of the commit that told it.
    touched: HashMap<Position, Option<u64>>,
    changes: Changes,
    committing: Option<Changes>,
    dirt: Dirt,
    /// Lines that became servable, for the walk to queue.
    pub(super) newly_ready: Vec<LineId>,
    /// Lines whose waiting messages should be read.
    pub(super) wants_key: Vec<LineId>,
    /// Lines that wait for a commit before their next hand-over.
    vouching: Vec<LineId>,
    vouching_committing: Vec<LineId>,
    /// Set aside because they may have killed the worker before, and not delivered since.
    suspected: HashSet<Position>,
    /// Lines with a suspect under way; true when it goes alone.
    suspects: HashMap<LineId, bool>,
    /// Parked deliveries that were kept back may go now.
    pub(super) freed: bool,
    /// A parked delivery waits for the walk to come to where it stands.
    postponed: bool,
}

impl Lane {
    /// Goes on where the lane's holder before left off. `guard` applies if that one died.
    pub(super) fn open(dest: &Destination, lease: Lease, state: LaneState, guard: Guard, mistakes: Mistakes) -> Self {
        let mut cursor = state.cursor;
        if mistakes.has(Mistake::DoneSetIgnored) {
            cursor.done.clear();
        }
        let guarded = lease.expired_before && !mistakes.has(Mistake::CrashLoopUnguarded);
        let mut lane = Self {
            partition: lease.partition,
            epoch: lease.epoch,
            destination: dest.name.clone(),
            on_dead: dest.policy.on_dead,
            mistakes,
            asked_to: cursor.low,
            slots: Slots::resume(cursor),
            lines: Lines::default(),
            held_keys: 0,
            guard: guarded.then_some(guard),
            unsettled: 0,
            bytes: 0,
            reading: false,
            draining: false,
            parked_in_memory: HashSet::new(),
            touched: HashMap::new(),
            changes: Changes::default(),
            committing: None,
            dirt: Dirt::Clean,
            newly_ready: Vec::new(),
            wants_key: Vec::new(),
            vouching: Vec::new(),
            vouching_committing: Vec::new(),
            suspected: HashSet::new(),
            suspects: HashMap::new(),
            freed: false,
            postponed: false,
        };
        for (held, head) in &state.held {
            let line = lane.lines.for_key(Some(held.key.clone()));
            lane.lines[line].hold = Some(Hold::resume(held, *head, lane.suspects_per_key()));
            lane.held_keys += 1;
            lane.go_on(line);
        }
        lane
    }

    /// How many messages of a key that is held now may have been in flight when the worker before died.
    fn suspects_per_key(&self) -> usize {
        self.guard.map_or(0, |guard| guard.messages_per_key)
    }

    pub(super) fn held_keys(&self) -> usize {
        self.held_keys
    }

    pub(super) fn parked_in_memory(&self) -> usize {
        self.parked_in_memory.len()
    }

    /// Nothing is with a sink.
    pub(super) fn is_quiet(&self) -> bool {
        self.lines.iter().all(|line| line.in_flight == 0)
    }

    fn count(&mut self, item: &Item) {
        self.unsettled += 1;
        self.bytes += item.message.weight();
        if item.is_parked() {
            self.parked_in_memory.insert(item.position);
        }
    }

    fn forget(&mut self, item: &Item) {
        self.unsettled -= 1;
        self.bytes -= item.message.weight();
        if item.is_parked() {
            self.parked_in_memory.remove(&item.position);
        }
    }

    /// Finds out what a line does next: serve, read on behind its hold, be freed, or be forgotten.
    fn go_on(&mut self, line: LineId) {
        let forgetful = self.mistakes.has(Mistake::FollowersForgotten);
        let target = &mut self.lines[line];
        let idle = target.queue.is_empty();
        if let Some(hold) = target.hold.as_mut().filter(|hold| idle && !hold.head && !hold.reading) {
            if hold.loaded_to < hold.until && !forgetful {
                hold.reading = true;
                self.wants_key.push(line);
            } else {
                target.hold = None;
                self.held_keys -= 1;
                self.freed = true;
                if let Some(key) = &target.key {
                    self.changes.free(key.clone());
                }
            }
        }
        self.announce(line);
        self.lines.tidy(line);
    }

    fn announce(&mut self, line: LineId) {
        let target = &mut self.lines[line];
        let hasty = self.mistakes.has(Mistake::TwoRunsPerKey) && !target.queue.is_empty();
        if (target.is_servable() || hasty) && !target.ready {
            target.ready = true;
            self.newly_ready.push(line);
        }
    }
}
