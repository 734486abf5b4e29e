//! A worker in the simulated world: an engine, a monotonic clock, and what the shell around it would do.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::plan::LEASE_TTL;
use crate::engine::{Engine, Input};
use crate::journal::{Epoch, Lease, Partition, WorkerId};
use crate::message::OrderKey;
use crate::sink::Run;

/// A run that was handed over and not answered.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) walk: usize,
    pub(super) run: Run,
    pub(super) epoch: Epoch,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) engine: Engine,
    pub(super) worker: WorkerId,
    pub(super) started: Duration,
    pub(super) frozen_until: Duration,
    pub(super) wake_at: Option<Duration>,
    /// Times in a row that it woke by itself and did nothing.
    pub(super) idle_wakes: u32,
    pub(super) flights: HashMap<u64, Flight>,
    /// Hand-overs that were called off before they were made.
    pub(super) cancelled: HashSet<u64>,
    /// What the worker was told it holds, and until when by its own clock.
    pub(super) held: HashMap<Partition, (Epoch, Duration)>,
}

impl Node {
    pub(super) fn new(engine: Engine, worker: WorkerId, started: Duration) -> Self {
        Self {
            engine,
            worker,
            started,
            frozen_until: Duration::ZERO,
            wake_at: None,
            idle_wakes: 0,
            flights: HashMap::new(),
            cancelled: HashSet::new(),
            held: HashMap::new(),
        }
    }

    /// The worker's own clock.
    pub(super) fn clock(&self, now: Duration) -> Duration {
        now - self.started
    }

    pub(super) fn has_in_flight(&self, walk: usize, key: Option<&OrderKey>) -> bool {
        key.is_some() && self.flights.values().any(|flight| flight.walk == walk && flight.run.key().as_ref() == key)
    }

    pub(super) fn has_in_flight_for(&self, leases: &[Lease]) -> bool {
        let of = |flight: &Flight| leases.iter().any(|lease| lease.partition == flight.run.partition);
        self.flights.values().any(of)
    }

    /// Remembers what an answer says about leases, as an observer would.
    pub(super) fn observe(&mut self, input: &Input) {
        match input {
            Input::Leased { asked_at, result: Ok(grant) } => {
                for lease in &grant.leases {
                    self.held.insert(lease.partition, (lease.epoch, *asked_at + LEASE_TTL));
                }
            }
            Input::Renewed { asked_at, leases, result: Ok(kept) } => {
                for lease in leases.iter().filter(|lease| kept.contains(&lease.partition)) {
                    self.held.insert(lease.partition, (lease.epoch, *asked_at + LEASE_TTL));
                }
            }
            _ => {}
        }
    }
}
