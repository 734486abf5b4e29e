//! Messages, lane commits and parked deliveries with only the part that a guarantee is about left to say.

use std::time::Duration;

use crate::journal::{Cursor, Entry, HeldKey, LaneCommit, Lease, Park, ParkedState, Position};
use crate::message::{Builder, Message, MessageId};

/// An event about an order, which is also its key.
pub(super) fn order(id: &str) -> Message {
    made(Message::builder("order.created", "order", id))
}

/// A message that asks for no order.
pub(super) fn unordered() -> Message {
    made(Message::builder("order.created", "order", "any").unordered())
}

pub(super) fn made(builder: Builder) -> Message {
    builder.build().expect("the suite makes valid messages")
}

/// Events of one order.
pub(super) fn orders(id: &str, count: usize) -> Vec<Message> {
    (0..count).map(|_| order(id)).collect()
}

/// Events of different orders.
pub(super) fn different_orders(count: usize) -> Vec<Message> {
    (0..count).map(|n| order(&format!("o-{n}"))).collect()
}

pub(super) fn ids(entries: &[Entry]) -> Vec<MessageId> {
    entries.iter().map(|entry| entry.message.id).collect()
}

/// The lease of the partition that an entry lies in.
pub(super) fn lease_of(entry: &Entry, leases: &[Lease]) -> Lease {
    *leases.iter().find(|lease| lease.partition == entry.partition).expect("the partition of the entry is leased")
}

/// A commit that changes nothing yet.
pub(super) fn lane(destination: &str, lease: Lease) -> LaneCommit {
    LaneCommit::nothing(destination.into(), lease.partition, lease.epoch)
}

/// The cursor of a lane that has settled everything up to `low`.
pub(super) fn settled(low: Position) -> Option<Cursor> {
    Some(Cursor { low, done: Vec::new() })
}

/// Moves a lane over an entry, which counts as delivered unless it is parked or held.
pub(super) fn passed(destination: &str, entry: &Entry, leases: &[Lease]) -> LaneCommit {
    LaneCommit { cursor: settled(entry.position), ..lane(destination, lease_of(entry, leases)) }
}

/// An entry parked once, due now, holding nothing.
pub(super) fn park(entry: &Entry, state: ParkedState) -> Park {
    Park {
        position: entry.position,
        message: entry.message.id,
        key: entry.message.order_key(),
        state,
        holds: false,
        attempts: 1,
        suspicion: 0,
        due_in: Some(Duration::ZERO),
        error: Some("refused".into()),
        progress: None,
    }
}

/// Moves a lane over an entry and sets it aside.
pub(super) fn parked(destination: &str, park: Park, entry: &Entry, leases: &[Lease]) -> LaneCommit {
    LaneCommit { park: vec![park], ..passed(destination, entry, leases) }
}

/// Holds the key of an entry: its messages in `(after, until]` wait.
pub(super) fn hold(of: &Entry, after: Position, until: Position) -> HeldKey {
    HeldKey { key: of.message.order_key().expect("only a key can be held"), after, until }
}
