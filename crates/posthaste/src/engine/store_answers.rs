//! What the store's answers mean. An answer that does not fit its request counts as a failure.

use std::time::Duration;

use super::Engine;
use super::destination::{DestinationRequest, Heard};
use super::outbox::Pending;
use super::protocol::{DestinationIndex, Event, LeaseEnd, RequestId, StoreAnswer, StoreFailure};
use crate::journal::{Lease, Position};

impl Engine {
    /// The store answered a request, or did not.
    pub(super) fn answered(&mut self, now: Duration, id: RequestId, result: Result<StoreAnswer, StoreFailure>) {
        let Some(pending) = self.outbox.answered(id) else { return };
        match (pending, result) {
            (Pending::Lease { asked_at }, Ok(StoreAnswer::Leased(grant))) => self.leased(asked_at, grant),
            (Pending::Lease { .. }, _) => self.leases.lease_answered(),
            (Pending::Renew { asked_at, leases }, Ok(StoreAnswer::Renewed(kept))) => {
                self.renewed(asked_at, &leases, &kept);
            }
            (Pending::Renew { .. }, _) => self.leases.renewal_failed(now),
            (Pending::Release { leases, leaving }, _) => self.released(&leases, leaving),
            (Pending::Advance, Ok(StoreAnswer::Advanced(newest))) => self.advanced(now, newest),
            (Pending::Advance, _) => self.front.failed(now),
            (Pending::Open { destination, leases }, Ok(StoreAnswer::Opened(states))) => {
                self.opened(now, destination, leases, states);
            }
            (Pending::Open { destination, leases }, _) => self.not_opened(now, destination, leases),
            (Pending::Of(destination, request), result) => self.destination_answered(now, destination, request, result),
            // A pause that was not stored ends with the next grant, and the destination says it again.
            (Pending::Pause, _) => {}
            (Pending::Purge, Ok(StoreAnswer::Purged(purged))) => self.housekeeping.purged(now, Some(purged)),
            (Pending::Purge, _) => self.housekeeping.purged(now, None),
        }
    }

    fn destination_answered(
        &mut self,
        now: Duration,
        destination: DestinationIndex,
        request: DestinationRequest,
        result: Result<StoreAnswer, StoreFailure>,
    ) {
        let mut heard = Heard { now, outbox: &mut self.outbox, events: &mut self.events };
        let refused = self.destinations[destination].answered(request, result, &mut heard);
        if !refused.is_empty() {
            self.events.push(Event::CommitRefused { lanes: refused.len() });
        }
        for lane in refused {
            let lease = Lease { partition: lane.partition, epoch: lane.epoch, expired_before: false };
            self.lose(lease, LeaseEnd::Taken);
        }
    }

    fn released(&mut self, leases: &[Lease], leaving: bool) {
        leases.iter().for_each(|lease| self.drop_lease(*lease));
        if leaving {
            self.stopping.end();
        }
    }

    fn advanced(&mut self, now: Duration, newest: Option<Position>) {
        self.front.advanced(now, newest);
        if newest.is_some() {
            self.destinations.iter_mut().for_each(|destination| destination.hint_due(now));
        }
    }
}
