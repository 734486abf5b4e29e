//! What the store keeps for one destination in one partition.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::journal::{Attempt, Cursor, HeldKey, LaneCommit, Park, ParkedState, Position, WorkerId};
use crate::message::{Message, MessageId, OrderKey};
use crate::rules::due::parked_due_in;

/// One destination's walk over one partition.
#[derive(Debug, Clone, Default)]
pub(super) struct Lane {
    pub(super) cursor: Cursor,
    pub(super) parked: BTreeMap<Position, Parked>,
    pub(super) held: BTreeMap<OrderKey, HeldKey>,
    /// By position and attempt number.
    pub(super) attempts: BTreeMap<(Position, u32), Tried>,
}

/// One parked delivery: a [`Park`] whose delay has become a time.
#[derive(Debug, Clone)]
pub(super) struct Parked {
    pub(super) message: MessageId,
    pub(super) key: Option<OrderKey>,
    pub(super) state: ParkedState,
    pub(super) holds: bool,
    pub(super) attempts: u32,
    pub(super) suspicion: u32,
    pub(super) due_at: Option<Duration>,
    pub(super) error: Option<String>,
    pub(super) progress: Option<Vec<u8>>,
}

/// One recorded attempt.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    pub(super) attempt: Attempt,
    pub(super) at: Duration,
    pub(super) worker: WorkerId,
}

impl Lane {
    pub(super) fn starting_after(low: Position) -> Self {
        Self { cursor: Cursor { low, done: Vec::new() }, ..Self::default() }
    }

    /// Records what the holder of the lane did. Sets after it removes, so that a repeated commit changes nothing.
    pub(super) fn apply(&mut self, commit: &LaneCommit, worker: &WorkerId, now: Duration) {
        if let Some(cursor) = &commit.cursor {
            self.cursor = cursor.clone();
        }
        for position in &commit.unpark {
            self.parked.remove(position);
        }
        for position in &commit.discard {
            self.discard(*position);
        }
        for park in &commit.park {
            self.park(park, now);
        }
        if commit.recall {
            self.hasten_paused(now);
        }
        for key in &commit.free {
            self.held.remove(key);
        }
        for held in &commit.hold {
            self.held.insert(held.key.clone(), held.clone());
        }
        for attempt in &commit.attempts {
            let tried = Tried { attempt: attempt.clone(), at: now, worker: worker.clone() };
            self.attempts.insert((attempt.position, attempt.number), tried);
        }
    }

    fn park(&mut self, park: &Park, now: Duration) {
        // What waits for its answer goes on waiting as it was: a commit that is repeated takes no answer away.
        let stays = |parked: &Parked| {
            parked.is_unwanted() || (parked.state, park.state) == (ParkedState::Awaiting, ParkedState::Awaiting)
        };
        if !self.parked.get(&park.position).is_some_and(stays) {
            self.parked.insert(park.position, Parked::new(park, now));
        }
    }

    /// What waits for a paused tenant is due at this time, unless it is earlier.
    pub(super) fn hasten_paused(&mut self, at: Duration) {
        let waits = |parked: &&mut Parked| matches!(parked.state, ParkedState::Paused | ParkedState::Replay);
        for parked in self.parked.values_mut().filter(waits) {
            parked.due_at = parked.due_at.map(|due_at| due_at.min(at));
        }
    }

    fn discard(&mut self, position: Position) {
        let asked = |parked: &&mut Parked| parked.state == ParkedState::Discarding;
        if let Some(parked) = self.parked.get_mut(&position).filter(asked) {
            (parked.state, parked.holds, parked.due_at) = (ParkedState::Discarded, false, None);
        }
    }

    /// When `due` returns this delivery; `None` while only an operator or another delivery of its key can change that.
    pub(super) fn ready_at(&self, parked: &Parked) -> Option<Duration> {
        let held_by_another = !parked.holds && parked.key.as_ref().is_some_and(|key| self.held.contains_key(key));
        if held_by_another { None } else { parked.due_at }
    }

    /// The parked delivery at the head of a held key.
    pub(super) fn head(&self, key: &OrderKey) -> Option<&Parked> {
        self.parked.values().find(|parked| parked.holds && parked.key.as_ref() == Some(key))
    }

    /// The span of the held key that `message` belongs to.
    pub(super) fn held_for(&self, message: &Message) -> Option<&HeldKey> {
        // Most lanes hold nothing: do not build a key to find that out.
        if self.held.is_empty() {
            return None;
        }
        self.held.get(&message.order_key()?)
    }

    pub(super) fn attempts_at(&self, position: Position) -> impl Iterator<Item = (&(Position, u32), &Tried)> {
        self.attempts.range((position, 0)..=(position, u32::MAX))
    }

    /// Removes every trace of a message.
    pub(super) fn forget(&mut self, position: Position) {
        self.parked.remove(&position);
        let tried: Vec<_> = self.attempts_at(position).map(|(&key, _)| key).collect();
        for key in tried {
            self.attempts.remove(&key);
        }
    }
}

impl Parked {
    /// Someone discarded it, whether or not its lane has taken note.
    fn is_unwanted(&self) -> bool {
        matches!(self.state, ParkedState::Discarding | ParkedState::Discarded)
    }

    fn new(park: &Park, now: Duration) -> Self {
        Self {
            message: park.message,
            key: park.key.clone(),
            state: park.state,
            holds: park.holds,
            attempts: park.attempts,
            suspicion: park.suspicion,
            due_at: parked_due_in(park.state, park.due_in).map(|due_in| now.saturating_add(due_in)),
            error: park.error.clone(),
            progress: park.progress.clone(),
        }
    }
}
