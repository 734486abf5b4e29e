//! Since when keys are blocked: since the oldest dead message died.
//!
//! Only a look at that message tells, so it is looked at when the number of dead messages or of held keys has changed, and not with every
//! look at the store.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use posthaste::inspect::{DestinationCounts, Overview};

use crate::operator::Operator;

/// Since when each destination has blocked keys, where it is known.
pub type BlockedSince = HashMap<String, Timestamp>;

/// What was seen when it was looked at last.
#[derive(Default)]
pub struct Blocked {
    dead_and_held: HashMap<String, (u64, u64)>,
    since: Arc<BlockedSince>,
}

impl Blocked {
    /// Looks where something has changed.
    pub async fn look(&mut self, operator: &Operator, overview: &Overview) -> posthaste::Result<Arc<BlockedSince>> {
        let is_blocked = |counts: &&DestinationCounts| counts.dead > 0 && counts.held_keys > 0;
        let seen: HashMap<_, _> = overview.destinations.iter().filter(is_blocked).map(numbers).collect();
        if seen != self.dead_and_held {
            let mut since = BlockedSince::new();
            for (destination, numbers) in &seen {
                let known =
                    self.since.get(destination).filter(|_| self.dead_and_held.get(destination) == Some(numbers));
                let found = match known {
                    Some(known) => Some(*known),
                    None => operator.oldest_death(destination).await?,
                };
                since.extend(found.map(|found| (destination.clone(), found)));
            }
            self.since = Arc::new(since);
            self.dead_and_held = seen;
        }
        Ok(self.since.clone())
    }
}

fn numbers(counts: &DestinationCounts) -> (String, (u64, u64)) {
    (counts.destination.clone(), (counts.dead, counts.held_keys))
}
