//! Gaining, keeping and losing partitions.

use std::time::Duration;

use super::Engine;
use super::destination::DestinationState;
use super::mistakes::Mistake;
use super::outbox::Pending;
use super::protocol::{DestinationIndex, Event, LeaseEnd, StoreCall};
use crate::journal::{Grant, LaneState, Lease, Partition, WorkerReport};

impl Engine {
    /// The store granted partitions, perhaps none.
    pub(super) fn leased(&mut self, asked_at: Duration, mut grant: Grant) {
        self.leases.lease_answered();
        for destination in &mut self.destinations {
            destination.set_paused(grant.paused.contains(&destination.dest.name));
            let tenants = grant.paused_tenants.iter().find(|(name, _)| *name == destination.dest.name);
            destination.set_paused_tenants(tenants.map(|(_, tenants)| tenants.as_slice()).unwrap_or_default());
        }
        for lease in &mut grant.leases {
            lease.expired_before &= !self.leases.own_lapse(lease);
        }
        // The store may have seen a lease end that this worker still believes in, and grant it anew.
        for stale in self.leases.replaced_by(&grant.leases) {
            self.lose(stale, LeaseEnd::Taken);
        }
        self.leases.granted(asked_at, &grant.leases, grant.workers);
        if grant.leases.is_empty() {
            return;
        }
        let died = grant.leases.iter().filter(|lease| lease.expired_before);
        let partitions: Vec<Partition> = died.map(|lease| lease.partition).collect();
        if !partitions.is_empty() {
            self.events.push(Event::TookOver { partitions });
        }
        for destination in 0..self.destinations.len() {
            self.openings.add(destination, grant.leases.clone());
        }
    }

    /// The store says which leases are still held.
    pub(super) fn renewed(&mut self, asked_at: Duration, leases: &[Lease], kept: &[Partition]) {
        for lease in self.leases.renewed(asked_at, leases, kept) {
            self.lose(lease, LeaseEnd::Taken);
        }
    }

    /// The store says where lanes stand.
    pub(super) fn opened(
        &mut self,
        now: Duration,
        destination: DestinationIndex,
        leases: Vec<Lease>,
        states: Vec<LaneState>,
    ) {
        let leases = self.still_held(leases);
        let front = self.front.newest().unwrap_or_default();
        self.destinations[destination].open(now, front, &leases, states);
    }

    /// The store could not say where lanes stand.
    pub(super) fn not_opened(&mut self, now: Duration, destination: DestinationIndex, leases: Vec<Lease>) {
        let leases = self.still_held(leases);
        self.openings.add_failed(now, destination, leases);
    }

    fn still_held(&self, mut leases: Vec<Lease>) -> Vec<Lease> {
        let held = self.leases.all();
        leases.retain(|lease| held.contains(lease));
        leases
    }

    /// Drops what has run out by this worker's own clock.
    pub(super) fn lose_expired(&mut self, now: Duration) {
        for lease in self.leases.expired(now) {
            self.lose(lease, LeaseEnd::Expired);
        }
    }

    /// The lease is gone: whatever the lane had in mind goes with it.
    pub(super) fn lose(&mut self, lease: Lease, why: LeaseEnd) {
        if self.mistakes.has(Mistake::LostLeaseKept) {
            return;
        }
        self.events.push(Event::LeaseLost { partition: lease.partition, why });
        self.drop_lease(lease);
    }

    /// Forgets a lease and its lanes.
    pub(super) fn drop_lease(&mut self, lease: Lease) {
        if !self.leases.remove(lease.partition, lease.epoch) {
            return;
        }
        self.openings.remove(lease.partition);
        let ids = self.destinations.iter_mut().flat_map(|destination| destination.close(lease.partition)).collect();
        self.outbox.cancel(ids);
    }

    /// Asks for partitions, renews those that are held, and gives back what is beyond this worker's share.
    pub(super) fn plan_leases(&mut self, now: Duration) {
        if !self.stopping.has_begun() {
            if let Some(want) = self.leases.plan_lease(now) {
                self.outbox.request(StoreCall::Lease { want }, Pending::Lease { asked_at: now });
            }
            self.plan_drain();
        }
        if let Some(leases) = self.leases.plan_renewal(now) {
            let report =
                WorkerReport { destinations: self.destinations.iter().map(DestinationState::report).collect() };
            let call = StoreCall::Renew { leases: leases.clone(), report };
            self.outbox.request(call, Pending::Renew { asked_at: now, leases });
        }
    }

    fn plan_drain(&mut self) {
        for partition in self.leases.plan_drain() {
            let ids = self.destinations.iter_mut().flat_map(|destination| destination.drain(partition)).collect();
            self.outbox.cancel(ids);
        }
        let mut drained = self.leases.draining();
        drained.retain(|lease| self.is_drained(*lease));
        if !drained.is_empty() {
            drained.iter().for_each(|lease| self.drop_lease(*lease));
            self.release(drained, false);
        }
    }

    /// Opens lanes for new leases, once it is known how far the journal reaches.
    pub(super) fn plan_openings(&mut self, now: Duration) {
        if self.front.newest().is_none() || self.stopping.has_begun() {
            return;
        }
        for (destination, leases) in self.openings.take(now) {
            let name = self.destinations[destination].dest.name.clone();
            let call = StoreCall::Open { destination: name, leases: leases.clone() };
            self.outbox.request(call, Pending::Open { destination, leases });
        }
    }
}
