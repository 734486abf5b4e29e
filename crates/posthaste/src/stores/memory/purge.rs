//! Removing what everyone is done with.

use std::time::Duration;

use super::core::{Core, Stored};
use crate::journal::{Position, Purged};

impl Core {
    /// See [`crate::journal::Journal::purge`].
    pub fn purge(&mut self, older_than: Duration, limit: usize) -> Purged {
        let mut purgeable = self.purgeable_positions(older_than);
        let removed: Vec<Position> = purgeable.by_ref().take(limit).collect();
        let more = purgeable.next().is_some();
        drop(purgeable);
        for &position in &removed {
            self.remove(position);
        }
        Purged { messages: removed.len() as u64, more }
    }

    /// See [`crate::inspect::Inspect::purgeable`].
    pub fn purgeable(&self, older_than: Duration) -> u64 {
        self.purgeable_positions(older_than).count() as u64
    }

    fn purgeable_positions(&self, older_than: Duration) -> impl Iterator<Item = Position> {
        // Before the first registration nobody knows who wants what.
        let nobody_knows = self.current().next().is_none();
        let journal = self.journal.iter().filter(move |_| !nobody_knows);
        let old = journal.filter(move |(_, stored)| self.now.saturating_sub(stored.recorded_at) >= older_than);
        old.filter(|&(&position, stored)| self.is_settled(position, stored)).map(|(&position, _)| position)
    }

    fn is_settled(&self, position: Position, stored: &Stored) -> bool {
        self.takers(stored)
            .all(|(_, known)| known.lane(stored.partition).status(position, &stored.message).is_settled())
    }

    fn remove(&mut self, position: Position) {
        let Some(stored) = self.journal.remove(&position) else { return };
        self.by_id.remove(&stored.message.id);
        if let Some(origin) = &stored.message.origin {
            self.origins.remove(&(origin.clone(), stored.message.destination.clone()));
        }
        for known in self.destinations.values_mut() {
            known.lane_mut(stored.partition).forget(position);
        }
    }
}
