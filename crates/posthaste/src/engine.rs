//! The engine: a state machine that is told what happened and says what to do.
//!
//! It reads no clock, awaits nothing and draws no random numbers; a seed and the time are given to it. The relay runs it on tokio
//! against real stores and sinks, the simulator against a world of faults. Both only carry requests and answers:
//!
//! ```text
//!   loop: read_ahead(now) ──► actions ──► poll(now) ──► actions ──► wait until wake_at ──► handle(now, input) …
//! ```

use std::time::Duration;

use self::destination::{DestinationState, Heard, Pass};
use self::front::{Front, Wanted};
use self::housekeeping::Housekeeping;
use self::lane::Suspects;
use self::leases::Leases;
use self::mistakes::{Mistake, Mistakes};
use self::openings::Openings;
use self::outbox::{Outbox, Pending};
use self::protocol::DestinationIndex;
use self::stopping::Stopping;
use crate::journal::Lease;
use crate::settings::Settings;

#[cfg(feature = "simulator")]
pub(crate) use self::protocol::RequestId;
pub(crate) use self::protocol::{
    Action, Event, Failed, HandOver, HandOverId, Input, LeaseEnd, Served, StoreAnswer, StoreCall, StoreFailure,
    StoreRequest,
};
pub use self::snapshot::{DestinationSnapshot, Snapshot};
pub(crate) use self::tail::{Asked, ReadId, Tail};

mod destination;
mod front;
mod holding;
mod housekeeping;
mod lane;
mod leases;
pub(crate) mod mistakes;
mod openings;
mod outbox;
mod protocol;
mod snapshot;
pub(crate) mod source;
mod stopping;
mod store_answers;
mod tail;

/// The state of one worker.
#[derive(Debug)]
pub(crate) struct Engine {
    mistakes: Mistakes,
    leases: Leases,
    destinations: Vec<DestinationState>,
    front: Front,
    openings: Openings,
    housekeeping: Housekeeping,
    stopping: Stopping,
    outbox: Outbox,
    events: Vec<Event>,
}

impl Engine {
    /// An engine for a journal of so many partitions. The seed feeds the jitter of retries.
    pub(crate) fn new(
        settings: &Settings,
        destinations: Vec<Served>,
        partitions: u16,
        seed: u64,
        mistakes: Mistakes,
    ) -> Self {
        let count = destinations.len();
        let state =
            |(index, served)| DestinationState::new((index, count), served, settings, seed ^ index as u64, mistakes);
        Self {
            mistakes,
            leases: Leases::new(settings.lease_ttl, partitions, mistakes),
            destinations: destinations.into_iter().enumerate().map(state).collect(),
            front: Front::new(settings.poll_interval),
            openings: Openings::default(),
            housekeeping: Housekeeping::new(settings),
            stopping: Stopping::new(settings.stop_timeout),
            outbox: Outbox::new(),
            events: Vec::new(),
        }
    }

    /// Takes note of what happened.
    pub(crate) fn handle(&mut self, now: Duration, input: Input) {
        let mut heard = Heard { now, outbox: &mut self.outbox, events: &mut self.events };
        match input {
            Input::Answered { id, result } => self.answered(now, id, result),
            Input::Delivered { destination, id, outcomes, took } => {
                self.destinations[destination].delivered(id, outcomes, took, &mut heard);
                self.report_outage(destination);
            }
            Input::Withheld { destination, id } => self.destinations[destination].withheld(id),
            Input::Probed { destination, result } => {
                self.destinations[destination].probed(result, &mut heard);
                self.report_outage(destination);
            }
            Input::Stop => {
                self.stopping.begin(now);
                let ids = self.destinations.iter_mut().flat_map(DestinationState::stop).collect();
                self.outbox.cancel(ids);
            }
        }
    }

    /// Operators hear of the beginning and the end of an outage at once.
    fn report_outage(&mut self, destination: DestinationIndex) {
        if self.destinations[destination].outage_changed() {
            self.leases.report_at_once();
        }
    }

    /// What to ask the store for before the lanes get busy, so that it reads while they work. To be followed by
    /// [`Engine::poll`].
    pub(crate) fn read_ahead(&mut self, now: Duration) -> Vec<Action> {
        self.lose_expired(now);
        self.plan_leases(now);
        self.plan_openings(now);
        self.plan_advance(now);
        self.pass(now, Suspects::default(), DestinationState::read_ahead);
        self.outbox.take()
    }

    /// Everything else to be done now.
    pub(crate) fn poll(&mut self, now: Duration) -> Vec<Action> {
        let mut suspects = Suspects::default();
        self.destinations.iter().for_each(|destination| suspects.add(destination.suspects()));
        self.pass(now, suspects, DestinationState::work);
        self.plan_purge(now);
        self.plan_stop(now);
        self.outbox.take()
    }

    fn pass(&mut self, now: Duration, suspects: Suspects, act: fn(&mut DestinationState, &mut Pass<'_>)) {
        let mut pass = Pass {
            now,
            front: self.front.newest().unwrap_or_default(),
            leases: &self.leases,
            stopping: self.stopping.has_begun(),
            suspects,
            outbox: &mut self.outbox,
            events: &mut self.events,
        };
        self.destinations.iter_mut().for_each(|destination| act(destination, &mut pass));
    }

    /// When to poll again at the latest although nothing happens.
    pub(crate) fn wake_at(&self, now: Duration) -> Option<Duration> {
        let stopping = self.stopping.has_begun();
        let destinations = self.destinations.iter().filter_map(|destination| destination.wake_at(now, stopping));
        let keeps_house = !stopping && self.leases.holds(housekeeping::PARTITION);
        let purge = self.housekeeping.wake_at().filter(|_| keeps_house);
        let open = self.openings.wake_at().filter(|_| !stopping && self.front.newest().is_some());
        let advance = self.front.wake_at(self.wanted());
        let leases = self.leases.wake_at(stopping);
        destinations.chain(self.stopping.wake_at(now)).chain(purge).chain(advance).chain(open).chain(leases).min()
    }

    /// Everything is given back.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopping.has_ended()
    }

    /// What an operator should hear about, since the last time.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The engine at this moment.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let destinations = self.destinations.iter().map(DestinationState::snapshot).collect();
        Snapshot { partitions: self.leases.len(), destinations }
    }

    /// Messages in memory that are not settled.
    #[cfg(feature = "simulator")]
    pub(crate) fn unsettled(&self) -> usize {
        self.destinations.iter().map(DestinationState::unsettled).sum()
    }

    /// What this worker wants to know about the journal's front.
    fn wanted(&self) -> Wanted {
        let Some(front) = self.front.newest() else { return Wanted::NewMessages };
        if self.stopping.has_begun() || self.leases.len() == 0 {
            return Wanted::Nothing;
        }
        match self.destinations.iter().any(|destination| destination.has_caught_up(front)) {
            true => Wanted::NewMessages,
            false => Wanted::SomeTime,
        }
    }

    fn plan_advance(&mut self, now: Duration) {
        if let Some(wait) = self.front.plan(now, self.wanted()) {
            self.outbox.request(StoreCall::Advance { wait }, Pending::Advance);
        }
    }

    /// Whoever holds the first partition keeps house.
    fn plan_purge(&mut self, now: Duration) {
        if self.stopping.has_begun() || !self.leases.holds(housekeeping::PARTITION) {
            return;
        }
        if let Some(call) = self.housekeeping.plan(now) {
            self.outbox.request(call, Pending::Purge);
        }
    }

    /// Waits for what is in flight, up to a limit, then for the last commits, then leaves.
    fn plan_stop(&mut self, now: Duration) {
        if !self.stopping.is_under_way() {
            return;
        }
        if self.stopping.gives_up_deliveries(now) {
            let ids = self.destinations.iter_mut().flat_map(DestinationState::abandon).collect();
            self.outbox.cancel(ids);
        }
        let leases = self.leases.all();
        let drained = leases.iter().all(|lease| self.is_drained(*lease));
        if drained || self.stopping.gives_up_commits(now) || self.mistakes.has(Mistake::ReleaseBeforeFlush) {
            self.stopping.leave();
            self.leases.clear();
            self.release(leases, true);
        }
    }

    fn is_drained(&self, lease: Lease) -> bool {
        self.destinations.iter().all(|destination| destination.is_drained(lease.partition))
    }

    fn release(&mut self, leases: Vec<Lease>, leaving: bool) {
        let call = StoreCall::Release { leases: leases.clone(), leaving };
        self.outbox.request(call, Pending::Release { leases, leaving });
    }
}
