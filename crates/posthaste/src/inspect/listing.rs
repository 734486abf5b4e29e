//! Long lists of deliveries, and which of them are meant.

use jiff::Timestamp;
use serde::Serialize;

use super::Status;
use crate::destination::Name;
use crate::journal::Position;
use crate::message::{Message, MessageId};

/// One (message, destination) as `list` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Where the message is.
    pub position: Position,
    /// The id of the message; the fields below are the message's too.
    pub id: MessageId,
    /// What happened.
    pub event_type: String,
    /// To which kind of thing.
    pub aggregate_type: String,
    /// To which one of them.
    pub aggregate_id: String,
    /// The ordering scope.
    pub key: Option<String>,
    /// Whose it is.
    pub tenant: Option<String>,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    /// `None` when no destination takes the message.
    pub status: Option<Status>,
    /// Failed attempts so far.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
}

impl Listed {
    /// A message that no destination takes: what is said about its delivery is still to be filled in.
    pub fn new(position: Position, message: &Message) -> Self {
        Self {
            position,
            id: message.id,
            event_type: message.event_type.to_string(),
            aggregate_type: message.aggregate_type.to_string(),
            aggregate_id: message.aggregate_id.to_string(),
            key: message.key.as_ref().map(ToString::to_string),
            tenant: message.tenant.as_ref().map(ToString::to_string),
            occurred_at: message.occurred_at,
            destination: None,
            status: None,
            attempts: 0,
            error: None,
            due_at: None,
        }
    }
}

/// Which deliveries are meant. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Only these messages.
    pub ids: Vec<MessageId>,
    /// Only deliveries of these statuses.
    pub statuses: Vec<Status>,
    /// Only deliveries to this destination.
    pub destination: Option<Name>,
    /// A pattern as in a route (`order.*`).
    pub event_type: Option<String>,
    /// Only messages of this key.
    pub key: Option<String>,
    /// Only messages about this kind of thing.
    pub aggregate_type: Option<String>,
    /// Only messages about this thing.
    pub aggregate_id: Option<String>,
    /// Only messages of this tenant.
    pub tenant: Option<String>,
    /// By `occurred_at`, inclusive.
    pub since: Option<Timestamp>,
    /// By `occurred_at`, exclusive.
    pub before: Option<Timestamp>,
}

/// A part of a long list, in journal order. The deliveries of one message are never split, so a page may be a little longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Only what lies after this position.
    pub after: Position,
    /// So many deliveries, and the rest of the last message's.
    pub limit: usize,
}

impl Page {
    /// Adds a delivery that comes after those that are listed, unless the page ends before it. Returns whether it was added.
    pub fn add(&self, listed: &mut Vec<Listed>, next: Listed) -> bool {
        let is_full = listed.len() >= self.limit && listed.last().is_none_or(|last| last.position != next.position);
        if !is_full {
            listed.push(next);
        }
        !is_full
    }
}
