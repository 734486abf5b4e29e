//! How much a lane has in memory.

use std::collections::HashSet;

use super::key_queue::QueuedMessage;
use crate::journal::Position;

/// The messages of a lane that are in memory and not settled.
#[derive(Debug, Default)]
pub(in crate::engine) struct InMemory {
    /// How many there are.
    pub(in crate::engine) messages: usize,
    /// What they weigh.
    pub(in crate::engine) bytes: usize,
    parked: HashSet<Position>,
}

impl InMemory {
    /// A message came in.
    pub(super) fn add(&mut self, message: &QueuedMessage) {
        self.messages += 1;
        self.bytes += message.message.weight();
        if message.is_parked() {
            self.parked.insert(message.position);
        }
    }

    /// A message is settled, or left to the store.
    pub(super) fn remove(&mut self, message: &QueuedMessage) {
        self.messages -= 1;
        self.bytes -= message.message.weight();
        if message.is_parked() {
            self.parked.remove(&message.position);
        }
    }

    /// Parked deliveries in memory.
    pub(in crate::engine) fn parked(&self) -> usize {
        self.parked.len()
    }

    /// Whether the parked delivery at this position is in memory.
    pub(super) fn has_parked(&self, position: Position) -> bool {
        self.parked.contains(&position)
    }
}
