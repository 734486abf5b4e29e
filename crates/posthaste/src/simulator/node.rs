//! A worker in the simulated world: an engine, a monotonic clock, and what an observer knows about it.

use std::time::Duration;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::plan::LEASE_TTL;
use crate::destination::Name;
use crate::engine::{
    Asked, Engine, HandOverId, Input, RequestId, StoreAnswer, StoreCall, StoreFailure, StoreRequest, Tail,
};
use crate::journal::{Epoch, Grant, Lease, Partition, WorkerId};
use crate::message::{Message, OrderKey};
use crate::sink::Run;

/// Between the engine's decision and the moment in which a run leaves its worker.
const LONGEST_WAY_OUT: Duration = Duration::from_millis(2);

/// A run that was handed over and not answered.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) destination: usize,
    pub(super) run: Run,
    pub(super) epoch: Epoch,
}

impl Flight {
    fn is_of(&self, destination: usize, key: &OrderKey) -> bool {
        self.destination == destination && self.run.key().as_ref() == Some(key)
    }
}

/// When a request about leases was made, by the worker's own clock, and which leases it was about.
#[derive(Debug)]
struct LeasesAsked {
    at: Duration,
    leases: Vec<Lease>,
}

/// A worker.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) engine: Engine,
    pub(super) worker: WorkerId,
    pub(super) started: Duration,
    pub(super) frozen_until: Duration,
    /// No request reaches the store before this.
    pub(super) cut_off_until: Duration,
    pub(super) wake_at: Option<Duration>,
    /// What the destinations read alike.
    tail: Tail,
    /// Times in a row that it woke by itself and did nothing.
    pub(super) idle_wakes: u32,
    /// By hand-over, in the order of its runs.
    pub(super) flights: HashMap<HandOverId, Vec<Flight>>,
    /// Hand-overs that were called off before they were made.
    pub(super) cancelled: HashSet<HandOverId>,
    asked: HashMap<RequestId, LeasesAsked>,
    /// What the worker was told it holds, and until when by its own clock.
    pub(super) held: HashMap<Partition, (Epoch, Duration)>,
    /// Which tenants the worker was told are paused, and when first, by its own clock.
    paused_tenants: HashMap<(Name, String), Duration>,
}

impl Node {
    /// A worker that was just started.
    pub(super) fn new(engine: Engine, tail: Tail, worker: WorkerId, started: Duration) -> Self {
        Self {
            engine,
            worker,
            started,
            frozen_until: Duration::ZERO,
            cut_off_until: Duration::ZERO,
            wake_at: None,
            tail,
            idle_wakes: 0,
            flights: HashMap::new(),
            cancelled: HashSet::new(),
            asked: HashMap::new(),
            held: HashMap::new(),
            paused_tenants: HashMap::new(),
        }
    }

    /// A request as it leaves the worker: what others have read before needs no answer of the store. `execute` asks the store;
    /// it says what the worker hears of it.
    pub(super) fn carry(
        &mut self,
        clock: Duration,
        call: &StoreCall,
        execute: impl FnOnce() -> Result<StoreAnswer, StoreFailure>,
    ) -> Result<StoreAnswer, StoreFailure> {
        match call {
            StoreCall::Open { .. } => self.tail.forget(),
            StoreCall::Read(read) => match self.tail.ask(clock, read) {
                Asked::Known(batch) => return Ok(StoreAnswer::Read(batch)),
                Asked::Read(id) => {
                    let answer = execute();
                    let batch = if let Ok(StoreAnswer::Read(batch)) = &answer { Some(batch) } else { None };
                    self.tail.answered(clock, id, batch);
                    return answer;
                }
                Asked::UnderWay => {}
            },
            _ => {}
        }
        execute()
    }

    /// The worker's own clock.
    pub(super) fn clock(&self, now: Duration) -> Duration {
        now - self.started
    }

    /// Whether a run of this key is with the sink.
    pub(super) fn has_in_flight(&self, destination: usize, key: &OrderKey) -> bool {
        self.flights.values().flatten().any(|flight| flight.is_of(destination, key))
    }

    /// Whether something is with a sink under one of these leases. A slow request may be about a lease that was gained anew since.
    pub(super) fn has_in_flight_for(&self, leases: &[Lease]) -> bool {
        let under =
            |flight: &Flight, lease: &Lease| (lease.partition, lease.epoch) == (flight.run.partition, flight.epoch);
        let of = |flight: &Flight| leases.iter().any(|lease| under(flight, lease));
        self.flights.values().flatten().any(of)
    }

    /// Remembers when a request about leases was made.
    pub(super) fn asked(&mut self, at: Duration, request: &StoreRequest) {
        let leases = match &request.call {
            StoreCall::Lease { .. } => Vec::new(),
            StoreCall::Renew { leases, .. } => leases.clone(),
            _ => return,
        };
        self.asked.insert(request.id, LeasesAsked { at, leases });
    }

    /// Whether a message is of a tenant of which the worker had been told that it is paused when it decided to hand the message over, which
    /// is a moment ago.
    pub(super) fn knows_as_paused(&self, clock: Duration, destination: &Name, message: &Message) -> bool {
        let Some(tenant) = &message.tenant else { return false };
        let told = self.paused_tenants.get(&(destination.clone(), tenant.to_string()));
        told.is_some_and(|told| clock > *told + LONGEST_WAY_OUT)
    }

    fn told_of_pauses(&mut self, clock: Duration, grant: &Grant) {
        let paused = grant.paused_tenants.iter();
        let paused =
            paused.flat_map(|(name, tenants)| tenants.iter().map(move |tenant| (name.clone(), tenant.clone())));
        let before = std::mem::take(&mut self.paused_tenants);
        self.paused_tenants = paused.map(|one| (one.clone(), before.get(&one).copied().unwrap_or(clock))).collect();
    }

    /// Remembers what an answer says about leases, as an observer would.
    pub(super) fn observe(&mut self, clock: Duration, input: &Input) {
        let Input::Answered { id, result } = input else { return };
        let Some(asked) = self.asked.remove(id) else { return };
        if let Ok(StoreAnswer::Leased(grant)) = result {
            self.told_of_pauses(clock, grant);
        }
        let held: Vec<Lease> = match result {
            Ok(StoreAnswer::Leased(grant)) => grant.leases.clone(),
            Ok(StoreAnswer::Renewed(kept)) => {
                asked.leases.into_iter().filter(|lease| kept.contains(&lease.partition)).collect()
            }
            _ => return,
        };
        for lease in held {
            // An answer that was slow may be about a lease that was gained anew since.
            let known = self.held.entry(lease.partition).or_default();
            *known = (*known).max((lease.epoch, asked.at + LEASE_TTL));
        }
    }
}
