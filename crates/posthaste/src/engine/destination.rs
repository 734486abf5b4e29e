//! One destination in one worker: all its lanes, one reader, one breaker, one commit at a time.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use foldhash::{HashMap, HashMapExt};

use super::lane::{Guard, Lane, LineId, Suspects};
use super::leases::Leases;
use super::mistakes::Mistakes;
use super::protocol::{Action, Event};
use crate::destination::Destination;
use crate::journal::{Batch, DestinationReport, Epoch, LaneState, Lease, Partition, Position};

use self::breaker::Breaker;
use self::rate::{Pace, Rates};
use crate::engine::DestinationSnapshot;
use crate::settings::Settings;

mod breaker;
mod committer;
mod rate;
mod reader;
mod scheduler;

/// Identifies a hand-over to a sink.
pub(crate) type RunId = u64;

/// A run with a sink.
#[derive(Debug)]
struct Flight {
    partition: Partition,
    epoch: Epoch,
    line: LineId,
    messages: usize,
}

/// What the engine tells a walk each time it looks.
pub(super) struct Look<'a> {
    pub(super) now: Duration,
    pub(super) front: Position,
    pub(super) leases: &'a Leases,
    pub(super) stopping: bool,
    pub(super) suspects: &'a mut Suspects,
    pub(super) next_run: &'a mut RunId,
    pub(super) actions: &'a mut Vec<Action>,
    pub(super) events: &'a mut Vec<Event>,
}

#[derive(Debug)]
pub(super) struct Walk {
    index: usize,
    pub(super) dest: Destination,
    settings: Settings,
    mistakes: Mistakes,
    lanes: BTreeMap<Partition, Lane>,
    /// Lines with something to hand over, first come first served.
    ready: VecDeque<(Partition, Epoch, LineId)>,
    flights: HashMap<RunId, Flight>,
    breaker: Breaker,
    pace: Option<Pace>,
    rates: Option<Rates>,
    jitter: u64,
    pub(super) paused: bool,
    /// The destination wants no more, and the others are to be told: why.
    wants_pause: Option<String>,
    batch_since: Option<Duration>,
    /// What was read and is not taken in yet.
    arrived: VecDeque<(Vec<(Partition, Epoch)>, Batch)>,
    /// Reads under way.
    reads: usize,
    read_not_before: Duration,
    /// When to ask for due deliveries.
    due_at: Option<Duration>,
    due_asked_at: Option<Duration>,
    due_asking: bool,
    /// Questions to the store whose answers may be older than the next commit.
    asks: usize,
    commits: u64,
    committing: Option<Vec<(Partition, Epoch)>>,
    commit_not_before: Duration,
    dirty_since: Option<Duration>,
    passed_since: Option<Duration>,
    settled: usize,
    delivered: u64,
    failed: u64,
    dead: u64,
}

impl Walk {
    pub(super) fn new(index: usize, dest: Destination, settings: Settings, seed: u64, mistakes: Mistakes) -> Self {
        Self {
            index,
            pace: dest.rate.map(Pace::new),
            rates: dest.tenant_rate.map(Rates::new),
            dest,
            settings,
            mistakes,
            lanes: BTreeMap::new(),
            ready: VecDeque::new(),
            flights: HashMap::new(),
            breaker: Breaker::default(),
            jitter: seed,
            paused: false,
            wants_pause: None,
            batch_since: None,
            arrived: VecDeque::new(),
            reads: 0,
            read_not_before: Duration::ZERO,
            due_at: None,
            due_asked_at: None,
            due_asking: false,
            asks: 0,
            commits: 0,
            committing: None,
            commit_not_before: Duration::ZERO,
            dirty_since: None,
            passed_since: None,
            settled: 0,
            delivered: 0,
            failed: 0,
            dead: 0,
        }
    }

    /// Lanes go on where the store says they stand.
    pub(super) fn open(&mut self, now: Duration, front: Position, leases: &[Lease], states: Vec<LaneState>) {
        let guard = Guard {
            until: front,
            messages: self.settings.window_messages + self.settings.read_batch,
            messages_per_key: self.dest.max_run,
            due_seen: false,
        };
        for state in states {
            let Some(lease) = leases.iter().find(|lease| lease.partition == state.partition) else { continue };
            if let Some(due_in) = state.next_due_in {
                self.arm_due(now + due_in);
            }
            let lane = Lane::open(&self.dest, *lease, state, guard, self.mistakes);
            self.lanes.insert(lane.partition, lane);
        }
        // Operators may have asked for something while nobody held the partition.
        self.arm_due(now);
    }

    /// Drops a lane with everything it had in mind. Returns the hand-overs to be cancelled.
    pub(super) fn close(&mut self, partition: Partition) -> Vec<RunId> {
        self.lanes.remove(&partition);
        let gone: Vec<RunId> =
            self.flights.iter().filter(|(_, flight)| flight.partition == partition).map(|(id, _)| *id).collect();
        for id in &gone {
            self.flights.remove(id);
        }
        if self.flights.is_empty() {
            self.breaker.given_back();
        }
        gone
    }

    /// Gives up what is in flight everywhere. Returns the hand-overs to be cancelled.
    pub(super) fn abandon(&mut self) -> Vec<RunId> {
        self.lanes.values_mut().for_each(Lane::abandon);
        self.flights.drain().map(|(id, _)| id).collect()
    }

    /// Takes nothing new on for this partition.
    pub(super) fn drain(&mut self, partition: Partition) {
        if let Some(lane) = self.lanes.get_mut(&partition) {
            lane.draining = true;
            lane.call_off_suspects();
        }
    }

    /// Takes nothing new on at all.
    pub(super) fn stop(&mut self) {
        self.lanes.values_mut().for_each(Lane::call_off_suspects);
    }

    /// Everything that was in flight for this partition is settled and recorded.
    pub(super) fn is_drained(&self, partition: Partition) -> bool {
        self.lanes.get(&partition).is_none_or(|lane| lane.is_quiet() && !lane.is_dirty() && !lane.is_committing())
    }

    /// Does whatever can be done now.
    pub(super) fn look(&mut self, look: &mut Look<'_>) {
        self.take_in();
        self.gather_ready(look);
        self.serve(look);
        self.probe(look);
        if let Some(why) = self.wants_pause.take() {
            look.actions.push(Action::Pause { walk: self.index, why });
        }
        if !look.stopping {
            self.plan_reads(look);
            self.plan_due(look);
        }
        self.plan_commit(look);
    }

    /// When something is to be done although nothing happens.
    pub(super) fn wake_at(&self, now: Duration, stopping: bool) -> Option<Duration> {
        let idle = self.committing.is_none();
        let commit = self.dirty_since.filter(|_| idle).map(|since| since + self.settings.commit_interval);
        let passed = self.passed_since.filter(|_| idle).map(|since| since + committer::PASSED_INTERVAL);
        let record = [commit, passed].into_iter().flatten().min().map(|at| at.max(self.commit_not_before));
        if self.has_arrived() {
            return Some(now);
        }
        if stopping {
            return record;
        }
        let due = self.due_at.filter(|_| self.can_ask_due());
        let batch = self.batch_since.map(|since| since + self.dest.batch_delay).filter(|at| *at > now);
        let read = Some(self.read_not_before).filter(|at| *at > now);
        let pace = self.pace.as_ref().filter(|_| !self.ready.is_empty()).map(Pace::opens_at).filter(|at| *at > now);
        [record, due, batch, read, pace, self.breaker.probe_at()].into_iter().flatten().min()
    }

    pub(super) fn in_flight(&self) -> usize {
        self.flights.values().map(|flight| flight.messages).sum()
    }

    /// Adds this walk's suspects to those of the others.
    pub(super) fn add_suspects(&self, suspects: &mut Suspects) {
        for lane in self.lanes.values().map(Lane::suspects) {
            suspects.any |= lane.any;
            suspects.lone |= lane.lone;
        }
    }

    /// Everything up to `front` was read, as far as lanes can take it: new messages are wanted.
    pub(super) fn has_caught_up(&self, front: Position) -> bool {
        self.lanes.values().any(|lane| lane.slots.read_to() >= front)
    }

    /// Messages in memory that are not settled.
    pub(super) fn unsettled(&self) -> usize {
        let arrived: usize = self.arrived.iter().map(|(_, batch)| batch.entries.len()).sum();
        arrived + self.lanes.values().map(|lane| lane.unsettled).sum::<usize>()
    }

    fn overfull(&self, lane: &Lane) -> bool {
        lane.held_keys() > self.settings.max_held_keys
    }

    pub(super) fn report(&self) -> DestinationReport {
        DestinationReport {
            name: self.dest.name.to_string(),
            in_flight: self.in_flight(),
            outage: self.breaker.outage().map(str::to_owned),
            overfull_lanes: self.lanes.values().filter(|lane| self.overfull(lane)).count(),
        }
    }

    pub(super) fn snapshot(&self) -> DestinationSnapshot {
        DestinationSnapshot {
            name: self.dest.name.to_string(),
            delivered: self.delivered,
            failed: self.failed,
            dead: self.dead,
            in_flight: self.in_flight(),
            outage: self.breaker.outage().map(str::to_owned),
            paused: self.paused,
        }
    }
}
