//! Deliveries as people see them: every status is derived here.

use super::core::{Core, Known, Stored, timestamp};
use super::lane::{Lane, Parked};
use super::read_key::is_of_key;
use crate::destination::Name;
use crate::inspect::Status;
use crate::journal::Position;
use crate::message::Message;
use crate::rules::{due, route, status};

/// One message at one destination, or at none when nobody takes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delivery<'a> {
    pub(super) position: Position,
    pub(super) stored: &'a Stored,
    pub(super) at: Option<At<'a>>,
}

/// The destination's side of a delivery.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) name: &'a Name,
    pub(super) known: &'a Known,
    pub(super) status: Status,
    pub(super) parked: Option<&'a Parked>,
}

impl Lane {
    /// What became of a message that this lane's destination takes.
    pub(super) fn status(&self, position: Position, message: &Message) -> Status {
        let parked = self.parked.get(&position).map(|parked| parked.state);
        status::status(position, parked, self.held_for(message), Some(&self.cursor))
    }
}

impl Core {
    /// What became of the message at `position` at a destination that takes it.
    pub fn status(&self, destination: &Name, position: Position) -> Option<Status> {
        let (stored, known) = (self.journal.get(&position)?, self.destinations.get(destination)?);
        Some(known.lane(stored.partition).status(position, &stored.message))
    }

    /// Every message of the journal, in its order.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.journal.values().map(|stored| &*stored.message)
    }

    /// The last so many, oldest first.
    pub fn newest(&self, count: usize) -> impl Iterator<Item = &Message> {
        let newest: Vec<_> = self.messages().rev().take(count).collect();
        newest.into_iter().rev()
    }

    /// What became of every message at every destination that takes it.
    pub fn statuses(&self) -> impl Iterator<Item = (&Name, Position, Status)> {
        self.journal.iter().flat_map(move |(&position, stored)| {
            let status = move |known: &Known| known.lane(stored.partition).status(position, &stored.message);
            self.takers(stored).map(move |(name, known)| (name, position, status(known)))
        })
    }

    /// The status of the delivery at the head of the held key that the message at `position` belongs to.
    pub fn head_status(&self, destination: &Name, position: Position) -> Option<Status> {
        let (stored, known) = (self.journal.get(&position)?, self.destinations.get(destination)?);
        let head = known.lane(stored.partition).head(&stored.message.order_key()?)?;
        Some(head.state.into())
    }

    /// The messages before `position` that must reach the destination before it: of the same key, and not scheduled.
    pub fn earlier_of_key(&self, destination: &Name, position: Position) -> Vec<Position> {
        let Some((stored, known)) = self.journal.get(&position).zip(self.destinations.get(destination)) else {
            return Vec::new();
        };
        let Some(key) = stored.message.order_key() else { return Vec::new() };
        let ordered = |message: &Message| {
            is_of_key(message, &key) && message.due_at.is_none() && route::takes(&known.route, destination, message)
        };
        let before = self.journal.range(..position).filter(|(_, stored)| ordered(&stored.message));
        before.map(|(&position, _)| position).collect()
    }

    /// One message at every current destination that takes it; without a destination if there is none.
    pub(super) fn deliveries_of<'a>(&'a self, position: Position, stored: &'a Stored) -> Vec<Delivery<'a>> {
        let mut deliveries: Vec<_> = self
            .takers(stored)
            .map(|(name, known)| {
                let lane = known.lane(stored.partition);
                let status = lane.status(position, &stored.message);
                let at = At { name, known, status, parked: lane.parked.get(&position) };
                Delivery { position, stored, at: Some(at) }
            })
            .collect();
        if deliveries.is_empty() {
            deliveries.push(Delivery { position, stored, at: None });
        }
        deliveries
    }
}

impl At<'_> {
    /// When it is tried next, where that is known.
    pub(super) fn due_at(&self, message: &Message) -> Option<jiff::Timestamp> {
        due::due_at(self.status, self.parked.map(|parked| parked.due_at.map(timestamp)), message.due_at)
    }
}
