//! The messages of one key inside a lane: what is queued, what is in flight, and whether the key is held.
//!
//! ```text
//!   read ─────► queue ──► in flight ──► settled
//!                 ▲           │ failed
//!                 │           ▼
//!      read_key ──┴──── held: (after … until], with a parked delivery at its head until that one is settled
//! ```
//! A queue without key (of a message that asked for no order) has one message and is never held.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::journal::{Due, Entry, HeldKey, ParkedState, Position};
use crate::message::{Message, OrderKey};
use crate::rules::callback::Awaited;
use crate::rules::suspicion::Suspicion;

/// Where the settlement of a message is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Place {
    /// In the lane's cursor.
    Cursor,
    /// In the held key's own cursor.
    HeldKey,
    /// In the parked delivery at the head of a held key.
    Head,
    /// In a parked delivery that holds nobody.
    Apart,
}

/// One message to deliver.
#[derive(Debug, Clone)]
pub(in crate::engine) struct QueuedMessage {
    pub(in crate::engine) position: Position,
    pub(in crate::engine) message: Arc<Message>,
    pub(in crate::engine) place: Place,
    /// Failed attempts before this one.
    pub(in crate::engine) attempts: u32,
    /// Whether this is suspected of killing workers.
    pub(in crate::engine) suspicion: Suspicion,
    /// The tenant's rate was charged; not before this time.
    pub(in crate::engine) reserved: Option<Duration>,
    /// Apart, because hardly any message has it and every message is moved about.
    pub(in crate::engine) history: Option<Box<History>>,
}

/// What happened to a message before.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct History {
    /// What the sink wants to know.
    pub(in crate::engine) progress: Option<Vec<u8>>,
    /// How often the destination seemed out of reach for this message only.
    pub(in crate::engine) strikes: u32,
    /// What the destination had delivered when it last seemed out of reach.
    pub(in crate::engine) delivered_at_strike: Option<u64>,
    /// It was delivered, and someone asked to deliver it once more.
    pub(in crate::engine) replayed: bool,
    /// The name of the hand-over that its receiver is to answer.
    pub(in crate::engine) hand_over: Option<String>,
    /// Why the destination's filter cannot be asked about it: it is not handed over.
    pub(in crate::engine) unfit: Option<String>,
}

impl QueuedMessage {
    /// A message that was never tried.
    pub(in crate::engine) fn new(entry: Entry, place: Place) -> Self {
        Self {
            position: entry.position,
            message: entry.message,
            place,
            attempts: 0,
            suspicion: Suspicion::default(),
            reserved: None,
            history: None,
        }
    }

    /// A parked delivery whose time has come.
    pub(in crate::engine) fn parked(due: Due) -> Self {
        let place = if due.holds { Place::Head } else { Place::Apart };
        // A throttled delivery has paid for its turn already.
        let reserved = (due.state == ParkedState::Throttled).then_some(Duration::ZERO);
        let replayed = due.state == ParkedState::Replay;
        // Who was handed it before is nothing to a sink.
        let progress = due.progress.filter(|progress| Awaited::stored(Some(progress)).is_none());
        let remembered = replayed || progress.is_some();
        let history = remembered.then(|| Box::new(History { progress, replayed, ..History::default() }));
        let suspicion = Suspicion::stored(due.suspicion);
        Self { attempts: due.attempts, suspicion, reserved, history, ..Self::new(due.entry, place) }
    }

    /// The destination's filter cannot be asked about it, for this reason if there is one.
    pub(in crate::engine) fn unfit(mut self, why: Option<String>) -> Self {
        if why.is_some() {
            self.history.get_or_insert_default().unfit = why;
        }
        self
    }

    /// Why it is not handed over.
    pub(in crate::engine) fn why_unfit(&self) -> Option<&str> {
        self.history.as_ref()?.unfit.as_deref()
    }

    /// What the sink said when the attempt before failed.
    pub(in crate::engine) fn progress(&self) -> Option<&Vec<u8>> {
        self.history.as_ref()?.progress.as_ref()
    }

    /// Whether it was delivered, and someone asked to deliver it once more.
    pub(in crate::engine) fn is_replayed(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.replayed)
    }

    /// Whether the delivery was parked before, so that its outcome belongs into its timeline.
    pub(in crate::engine) fn is_parked(&self) -> bool {
        matches!(self.place, Place::Head | Place::Apart)
    }
}

/// A key with a cursor of its own.
#[derive(Debug)]
pub(in crate::engine) struct Hold {
    /// Settled up to here.
    pub(in crate::engine) after: Position,
    /// The lane has passed the key's messages up to here.
    pub(in crate::engine) until: Position,
    /// What waits up to here is in the queue.
    pub(in crate::engine) loaded_to: Position,
    /// A parked delivery stands at the head; nothing behind it moves.
    pub(in crate::engine) has_head: bool,
    /// What waits is being read.
    pub(in crate::engine) reading: bool,
}

impl Hold {
    /// A hold that begins with the message at `position`.
    pub(in crate::engine) fn starting_at(position: Position) -> Self {
        let after = Position { tick: position.tick, seq: position.seq.saturating_sub(1) };
        Self { after, until: position, loaded_to: position, has_head: true, reading: false }
    }

    /// A hold as the store remembers it.
    pub(in crate::engine) fn resume(held: &HeldKey, has_head: bool) -> Self {
        Self { after: held.after, until: held.until, loaded_to: held.after, has_head, reading: false }
    }
}

/// The messages of one key.
#[derive(Debug, Default)]
pub(in crate::engine) struct KeyQueue {
    /// `None` for a message that asked for no order.
    pub(in crate::engine) key: Option<OrderKey>,
    /// So that it is computed once.
    pub(in crate::engine) key_hash: u64,
    /// In the order of delivery.
    pub(in crate::engine) messages: VecDeque<QueuedMessage>,
    /// So many at the front are with the sink.
    pub(in crate::engine) in_flight: usize,
    /// Set while the key is held.
    pub(in crate::engine) hold: Option<Hold>,
    /// Stands in the destination's queue of what can be served.
    pub(in crate::engine) ready: bool,
    /// The store must know something before the next hand-over: that an attempt is made that may kill the worker, or that a
    /// message is dead which lets the others of its key go on. If they went before, and the record got lost, the dead one would
    /// be tried again and arrive after them.
    pub(in crate::engine) awaits_commit: bool,
}

impl KeyQueue {
    /// Something can be handed over.
    pub(in crate::engine) fn is_servable(&self) -> bool {
        self.in_flight == 0 && !self.messages.is_empty() && !self.awaits_commit
    }

    /// Nothing is left to remember.
    pub(in crate::engine) fn is_spent(&self) -> bool {
        self.messages.is_empty() && self.hold.is_none() && !self.ready && !self.awaits_commit
    }
}
