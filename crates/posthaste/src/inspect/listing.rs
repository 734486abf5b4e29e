//! Long lists of deliveries, and which of them are meant.

use jiff::Timestamp;
use serde::Serialize;

use super::Status;
use crate::destination::Name;
use crate::journal::Position;
use crate::message::MessageId;

/// One (message, destination) as `list` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    pub position: Position,
    pub id: MessageId,
    pub event_type: String,
    pub aggregate_type: String,
    pub aggregate_id: String,
    pub key: Option<String>,
    pub tenant: Option<String>,
    pub occurred_at: Timestamp,
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    /// `None` when no destination takes the message.
    pub status: Option<Status>,
    pub attempts: u32,
    pub error: Option<String>,
    /// When it is tried next, where that is known.
    pub due_at: Option<Timestamp>,
}

/// Which deliveries are meant. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    pub ids: Vec<MessageId>,
    pub statuses: Vec<Status>,
    pub destination: Option<Name>,
    /// A pattern as in a route (`order.*`).
    pub event_type: Option<String>,
    pub key: Option<String>,
    pub aggregate_type: Option<String>,
    pub aggregate_id: Option<String>,
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
