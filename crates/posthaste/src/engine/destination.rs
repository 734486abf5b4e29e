//! One destination in one worker: its lanes, and the types that read ahead, serve and commit for all of them.

use std::time::Duration;

use self::committer::Committer;
use self::hand_overs::HandOvers;
use self::judge::Judge;
use self::lanes::Lanes;
use self::parked_reader::ParkedReader;
use self::reader::Reader;
use self::scheduler::Scheduler;
use super::lane::{InFlightBefore, Lane, LaneId, Suspects};
use super::leases::Leases;
use super::mistakes::{Mistake, Mistakes};
use super::outbox::Outbox;
use super::protocol::{DestinationIndex, Event, HandOverId, Served};
use crate::destination::Destination;
use crate::engine::DestinationSnapshot;
use crate::journal::{DestinationReport, LaneState, Lease, Partition, Position};
use crate::settings::Settings;

pub(super) use self::requests::DestinationRequest;

mod answers;
mod breaker;
mod committer;
mod hand_overs;
mod held_keys;
mod judge;
mod lanes;
mod parked_reader;
mod rate;
mod reader;
mod requests;
mod scheduler;
mod sink_answers;
mod turns;

/// What the engine tells a destination each time it passes over all of them.
pub(super) struct Pass<'a> {
    pub(super) now: Duration,
    pub(super) front: Position,
    pub(super) leases: &'a Leases,
    pub(super) stopping: bool,
    pub(super) suspects: Suspects,
    pub(super) outbox: &'a mut Outbox,
    pub(super) events: &'a mut Vec<Event>,
}

/// What the engine tells a destination about something that happened.
pub(super) struct Heard<'a> {
    pub(super) now: Duration,
    pub(super) outbox: &'a mut Outbox,
    pub(super) events: &'a mut Vec<Event>,
}

/// What has happened since the relay started.
#[derive(Debug, Default)]
struct Totals {
    /// Taken by the sink, whether or not its word is enough.
    handed_over: u64,
    delivered: u64,
    failed: u64,
    dead: u64,
}

/// A destination as the engine serves it.
#[derive(Debug)]
pub(super) struct DestinationState {
    index: DestinationIndex,
    pub(super) dest: Destination,
    mistakes: Mistakes,
    lanes: Lanes,
    reader: Reader,
    parked_reader: ParkedReader,
    scheduler: Scheduler,
    judge: Judge,
    committer: Committer,
    totals: Totals,
    /// Whether the last report said that it is out of reach.
    reported_outage: bool,
}

impl DestinationState {
    /// A destination without lanes, one of so many. The seed feeds the jitter of retries.
    pub(super) fn new(
        (index, count): (DestinationIndex, usize),
        served: Served,
        settings: &Settings,
        seed: u64,
        mistakes: Mistakes,
    ) -> Self {
        let Served { destination: mut dest, runs_at_once } = served;
        if dest.callback_timeout.is_some() {
            dest.max_run = 1;
        }
        let hand_overs = HandOvers::new(index, runs_at_once, dest.max_in_flight, mistakes);
        Self {
            index,
            mistakes,
            lanes: Lanes::default(),
            reader: Reader::new(settings, count, mistakes),
            parked_reader: ParkedReader::default(),
            scheduler: Scheduler::new(hand_overs, &dest, settings, mistakes),
            judge: Judge::new(seed, mistakes),
            committer: Committer::new(settings, mistakes),
            totals: Totals::default(),
            reported_outage: false,
            dest,
        }
    }

    /// Lanes go on where the store says they stand.
    pub(super) fn open(&mut self, now: Duration, front: Position, leases: &[Lease], states: Vec<LaneState>) {
        let in_flight_before = InFlightBefore {
            until: front,
            messages: self.reader.most_in_memory(),
            messages_per_key: self.dest.max_run,
        };
        for state in states {
            let Some(lease) = leases.iter().find(|lease| lease.partition == state.partition) else { continue };
            let lane = Lane::open(&self.dest, *lease, state, in_flight_before, self.mistakes);
            self.parked_reader.opened(lane.id, now);
            self.lanes.insert(lane);
        }
    }

    /// Drops a lane with everything it had in mind. Returns the hand-overs to be cancelled.
    pub(super) fn close(&mut self, partition: Partition) -> Vec<HandOverId> {
        self.lanes.remove(partition);
        self.call_back(partition)
    }

    /// The hand-overs that have messages of this partition, to be cancelled; what other lanes had in them goes again.
    fn call_back(&mut self, partition: Partition) -> Vec<HandOverId> {
        let cancelled = self.scheduler.close(partition);
        for flight in cancelled.iter().flat_map(|(_, flights)| flights) {
            if !self.mistakes.has(Mistake::OthersForgotten) {
                self.goes_again(*flight);
            }
        }
        cancelled.into_iter().map(|(id, _)| id).collect()
    }

    /// Gives up what is in flight everywhere. Returns the hand-overs to be cancelled.
    pub(super) fn abandon(&mut self) -> Vec<HandOverId> {
        self.lanes.iter_mut().for_each(Lane::abandon);
        self.scheduler.abandon()
    }

    /// Takes nothing new on for this partition. Returns the hand-overs to be cancelled, because they need not be waited for.
    pub(super) fn drain(&mut self, partition: Partition) -> Vec<HandOverId> {
        let Some(lane) = self.lanes.of_mut(partition) else { return Vec::new() };
        lane.draining = true;
        if self.dest.resumes {
            lane.abandon();
            return self.call_back(partition);
        }
        lane.call_off_suspects();
        Vec::new()
    }

    /// Takes nothing new on at all. Returns the hand-overs to be cancelled, because they need not be waited for.
    pub(super) fn stop(&mut self) -> Vec<HandOverId> {
        if self.dest.resumes {
            return self.abandon();
        }
        self.lanes.iter_mut().for_each(Lane::call_off_suspects);
        Vec::new()
    }

    /// Everything that was in flight for this partition is settled and recorded.
    pub(super) fn is_drained(&self, partition: Partition) -> bool {
        self.lanes.of(partition).is_none_or(Lane::is_drained)
    }

    /// Reads ahead: asks the store for more before the lanes are busy with what has arrived.
    pub(super) fn read_ahead(&mut self, pass: &mut Pass<'_>) {
        if !pass.stopping && self.reader.may_read(pass.now) {
            self.read_held_keys(pass);
            self.reader.read_on(self.index, &mut self.lanes, pass);
        }
    }

    /// Takes in what has arrived, hands over what may go, and records what is settled.
    pub(super) fn work(&mut self, pass: &mut Pass<'_>) {
        self.reader.take_in(&self.dest, &mut self.lanes);
        if self.scheduler.gather(pass.now, self.dest.batch_delay, &mut self.lanes) {
            self.parked_reader.ask_at_once(pass.now);
        }
        self.totals.dead += self.scheduler.serve(&self.dest, &mut self.lanes, pass);
        self.probe(pass);
        self.ask_due(pass);
        self.committer.commit_if_due(self.index, &self.dest.name, &mut self.lanes, pass);
    }

    /// When something is to be done although nothing happens.
    pub(super) fn wake_at(&self, now: Duration, stopping: bool) -> Option<Duration> {
        let commit = self.committer.wake_at();
        if stopping {
            return commit;
        }
        let due = self.parked_reader.wake_at().filter(|_| self.can_ask_due());
        let later = [self.scheduler.wake_at(self.dest.batch_delay, now), self.reader.wake_at(now)];
        let probe = self.scheduler.breaker.probe_at();
        later.into_iter().flatten().chain(commit).chain(due).chain(probe).min()
    }

    /// Whether an operator has paused it.
    pub(super) fn set_paused(&mut self, paused: bool) {
        self.scheduler.paused = paused;
    }

    /// Whose messages an operator wants to wait. What this worker has put aside since one of them was resumed, unknown to it, is looked at
    /// again, as is everything else that waits.
    pub(super) fn set_paused_tenants(&mut self, tenants: &[String]) {
        let paused = tenants.iter().map(|tenant| tenant.as_str().into()).collect();
        let before = std::mem::replace(&mut self.scheduler.paused_tenants, paused);
        if !before.is_subset(&self.scheduler.paused_tenants) && !self.mistakes.has(Mistake::ResumedForgotten) {
            self.lanes.iter_mut().for_each(Lane::recall);
        }
    }

    /// Something was written: an operator may have asked for a delivery.
    pub(super) fn hint_due(&mut self, now: Duration) {
        self.parked_reader.hint(now);
    }

    /// Suspects of all lanes that are being noted or in flight.
    pub(super) fn suspects(&self) -> Suspects {
        let mut suspects = Suspects::default();
        self.lanes.iter().for_each(|lane| suspects.add(lane.suspects()));
        suspects
    }

    /// Everything up to `front` was read, as far as lanes can take it: new messages are wanted.
    pub(super) fn has_caught_up(&self, front: Position) -> bool {
        self.lanes.iter().any(|lane| lane.cursor.read_to() >= front)
    }

    /// Messages in memory that are not settled.
    #[cfg(feature = "simulator")]
    pub(super) fn unsettled(&self) -> usize {
        self.reader.arrived() + self.lanes.iter().map(|lane| lane.memory.messages).sum::<usize>()
    }

    /// Whether an outage has begun or ended since this was asked last.
    pub(super) fn outage_changed(&mut self) -> bool {
        let outage = self.scheduler.breaker.outage().is_some();
        std::mem::replace(&mut self.reported_outage, outage) != outage
    }

    /// What other workers and operators read about it.
    pub(super) fn report(&self) -> DestinationReport {
        DestinationReport {
            name: self.dest.name.to_string(),
            in_flight: self.scheduler.in_flight(),
            outage: self.scheduler.breaker.outage().map(str::to_owned),
            overfull_lanes: self.lanes.iter().filter(|lane| self.reader.is_overfull(lane)).count(),
        }
    }

    /// The destination at this moment.
    pub(super) fn snapshot(&self) -> DestinationSnapshot {
        DestinationSnapshot {
            name: self.dest.name.to_string(),
            delivered: self.totals.delivered,
            failed: self.totals.failed,
            dead: self.totals.dead,
            in_flight: self.scheduler.in_flight(),
            outage: self.scheduler.breaker.outage().map(str::to_owned),
            paused: self.scheduler.paused,
            paused_tenants: self.scheduler.paused_tenants.len(),
        }
    }
}
