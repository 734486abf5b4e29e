//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use std::ops::Bound::{Excluded, Included, Unbounded};

use super::core::Core;
use super::lane::Parked;
use super::read_key::is_of_key;
use super::status::{At, Delivery};
use crate::destination::Name;
use crate::inspect::{Filter, Mode, Operation, OperationReport, Status};
use crate::journal::{ParkedState, Partition, Position};
use crate::rules::operation::{Effect, effect};
use crate::rules::route;

/// One delivery and what to put beside its lane.
struct Change {
    destination: Name,
    partition: Partition,
    position: Position,
    parked: Parked,
}

impl Core {
    /// See [`crate::inspect::Inspect::operate`].
    pub fn operate(&mut self, operation: Operation, filter: &Filter, mode: Mode) -> OperationReport {
        self.operate_at(operation, filter, mode, None)
    }

    /// The same for all messages, or for the one at a position.
    pub(super) fn operate_at(
        &mut self,
        operation: Operation,
        filter: &Filter,
        mode: Mode,
        only: Option<Position>,
    ) -> OperationReport {
        let (report, changes) = self.plan(operation, filter, only);
        if mode == Mode::Apply {
            for change in changes {
                if let Some(known) = self.destinations.get_mut(&change.destination) {
                    known.lane_mut(change.partition).parked.insert(change.position, change.parked);
                }
            }
        }
        report
    }

    fn plan(&self, operation: Operation, filter: &Filter, only: Option<Position>) -> (OperationReport, Vec<Change>) {
        let mut report = OperationReport::default();
        let mut changes = Vec::new();
        let wanted = only.map_or((Unbounded, Unbounded), |only| (Included(only), Included(only)));
        let stored = self.journal.range(wanted);
        let deliveries = stored.flat_map(|(&position, stored)| self.deliveries_of(position, stored));
        for delivery in deliveries.filter(|delivery| delivery.matches(filter)) {
            let Some(at) = delivery.at else { continue };
            let Some(parked) = self.changed(operation, &delivery, at) else {
                report.not_applicable += 1;
                continue;
            };
            report.affected += 1;
            report.overtaken += u64::from(operation == Operation::Replay && self.is_overtaken(&delivery, at));
            let (partition, position) = (delivery.stored.partition, delivery.position);
            changes.push(Change { destination: at.name.clone(), partition, position, parked });
        }
        (report, changes)
    }

    /// The parked delivery as it shall be, or `None` where the operation does not apply.
    fn changed(&self, operation: Operation, delivery: &Delivery<'_>, at: At<'_>) -> Option<Parked> {
        let due_now = |parked: &Parked| Parked { due_at: Some(self.now), ..parked.clone() };
        match (effect(operation, at.status)?, at.parked) {
            (Effect::Repeat, _) => Some(self.replayed(delivery)),
            (Effect::Restart, parked) => {
                let parked = due_now(parked?);
                Some(Parked { state: ParkedState::Retrying, attempts: 0, suspicion: 0, error: None, ..parked })
            }
            (Effect::Hasten, parked) => parked.map(due_now),
            (Effect::Discard, parked) => Some(Parked { state: ParkedState::Discarding, ..due_now(parked?) }),
        }
    }

    fn replayed(&self, delivery: &Delivery<'_>) -> Parked {
        Parked {
            message: delivery.stored.message.id,
            key: delivery.stored.message.order_key(),
            state: ParkedState::Replay,
            holds: false,
            attempts: 0,
            suspicion: 0,
            due_at: Some(self.now),
            error: None,
            progress: None,
        }
    }

    /// Whether the destination has a newer message of the same key already.
    fn is_overtaken(&self, delivery: &Delivery<'_>, at: At<'_>) -> bool {
        let Some(key) = delivery.stored.message.order_key() else { return false };
        let lane = at.known.lane(delivery.stored.partition);
        let newer = self.journal.range((Excluded(delivery.position), Unbounded));
        newer.filter(|(_, stored)| is_of_key(&stored.message, &key)).any(|(&position, stored)| {
            route::takes(&at.known.route, at.name, &stored.message)
                && lane.status(position, &stored.message) == Status::Delivered
        })
    }
}
