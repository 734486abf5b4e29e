//! The messages of one key inside a lane: what is queued, what is in flight, and whether the key is held.
//!
//! ```text
//!   walked ──► queue ──► in flight ──► settled
//!                 ▲           │ failed
//!                 │           ▼
//!      read_key ──┴──── held: (after … until], with a parked delivery at its head until that one is settled
//! ```
//! A line without key (a message that asked for no order) has one message and is never held.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::journal::{Due, Entry, HeldKey, ParkedState, Position};
use crate::message::{Message, OrderKey};

/// Where an item came from, which is where its settlement is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Origin {
    /// The walk: a slot of the cursor.
    Walked,
    /// The held key's own cursor.
    Held,
    /// The parked delivery at the head of a held key.
    Head,
    /// A parked delivery that holds nobody.
    Loose,
}

/// One message to deliver.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Item {
    pub(in crate::engine) position: Position,
    pub(in crate::engine) message: Arc<Message>,
    pub(in crate::engine) origin: Origin,
    /// Failed attempts before this one.
    pub(in crate::engine) attempts: u32,
    pub(in crate::engine) kills: u32,
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
}

impl Item {
    pub(in crate::engine) fn new(entry: Entry, origin: Origin) -> Self {
        Self {
            position: entry.position,
            message: entry.message,
            origin,
            attempts: 0,
            kills: 0,
            reserved: None,
            history: None,
        }
    }

    pub(in crate::engine) fn parked(due: Due) -> Self {
        let origin = if due.holds { Origin::Head } else { Origin::Loose };
        // A throttled delivery has paid for its turn already.
        let reserved = (due.state == ParkedState::Throttled).then_some(Duration::ZERO);
        let history = due.progress.map(|progress| Box::new(History { progress: Some(progress), ..History::default() }));
        Self { attempts: due.attempts, kills: due.kills, reserved, history, ..Self::new(due.entry, origin) }
    }

    pub(in crate::engine) fn progress(&self) -> Option<&Vec<u8>> {
        self.history.as_ref()?.progress.as_ref()
    }

    /// Whether the delivery was set aside before, so that its outcome belongs into its timeline.
    pub(in crate::engine) fn is_parked(&self) -> bool {
        matches!(self.origin, Origin::Head | Origin::Loose)
    }
}

/// A key with a cursor of its own.
#[derive(Debug)]
pub(in crate::engine) struct Hold {
    pub(in crate::engine) after: Position,
    pub(in crate::engine) until: Position,
    /// What waits up to here is in the queue.
    pub(in crate::engine) loaded_to: Position,
    /// A parked delivery stands at the head; nothing behind it moves.
    pub(in crate::engine) head: bool,
    pub(in crate::engine) reading: bool,
    /// So many of the next ones may have been in flight when the worker before died.
    pub(in crate::engine) suspects: usize,
}

impl Hold {
    /// A hold that begins with the message at `position`.
    pub(in crate::engine) fn starting_at(position: Position, suspects: usize) -> Self {
        let after = Position { tick: position.tick, seq: position.seq.saturating_sub(1) };
        Self { after, until: position, loaded_to: position, head: true, reading: false, suspects }
    }

    pub(in crate::engine) fn resume(held: &HeldKey, head: bool, suspects: usize) -> Self {
        Self { after: held.after, until: held.until, loaded_to: held.after, head, reading: false, suspects }
    }
}

/// Whether the store must know something before the next hand-over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::engine) enum Vouching {
    #[default]
    NotNeeded,
    /// A dead message that lets the others of its key go on is being recorded. If they went before, and the record got lost,
    /// it would be tried again and arrive after them.
    DeathAwaited,
    /// The crash-loop guard counts an attempt before it is made.
    Awaited,
    /// The count is stored: the next hand-over may go.
    Granted,
}

/// The messages of one key.
#[derive(Debug, Default)]
pub(in crate::engine) struct Line {
    pub(in crate::engine) key: Option<OrderKey>,
    /// So that it is computed once.
    pub(in crate::engine) key_hash: u64,
    pub(in crate::engine) queue: VecDeque<Item>,
    /// So many at the front of the queue are with the sink.
    pub(in crate::engine) in_flight: usize,
    pub(in crate::engine) hold: Option<Hold>,
    /// Stands in the walk's queue of lines that can be served.
    pub(in crate::engine) ready: bool,
    pub(in crate::engine) vouching: Vouching,
}

impl Line {
    /// Something can be handed over.
    pub(in crate::engine) fn is_servable(&self) -> bool {
        let waits = matches!(self.vouching, Vouching::Awaited | Vouching::DeathAwaited);
        self.in_flight == 0 && !self.queue.is_empty() && !waits
    }

    /// Nothing is left to remember.
    pub(in crate::engine) fn is_spent(&self) -> bool {
        let waits = self.vouching == Vouching::DeathAwaited;
        self.queue.is_empty() && self.hold.is_none() && !self.ready && !waits
    }
}
