//! A worker in the simulated world: an engine, a monotonic clock, and what an observer knows about it.

use std::time::Duration;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::plan::LEASE_TTL;
use crate::engine::{
    Asked, Engine, HandOverId, Input, RequestId, StoreAnswer, StoreCall, StoreFailure, StoreRequest, Tail,
};
use crate::journal::{Epoch, Lease, Partition, WorkerId};
use crate::message::OrderKey;
use crate::sink::Run;

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

    /// Remembers what an answer says about leases, as an observer would.
    pub(super) fn observe(&mut self, input: &Input) {
        let Input::Answered { id, result } = input else { return };
        let Some(asked) = self.asked.remove(id) else { return };
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
