//! Messages turned on their side: one array for each column, so that any number of them is one statement with few parameters.
//! Only types that every client has: text, whole numbers, bytes.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::error::Result;
use crate::journal::Enqueued;
use crate::message::Message;
use crate::stores::headers;

/// The parameters of `sql/enqueue.sql`.
#[derive(Default)]
pub(super) struct Columns<'a> {
    pub(super) id: Vec<String>,
    pub(super) event_type: Vec<&'a str>,
    pub(super) aggregate_type: Vec<&'a str>,
    pub(super) aggregate_id: Vec<&'a str>,
    pub(super) key: Vec<Option<&'a str>>,
    pub(super) tenant: Vec<Option<&'a str>>,
    pub(super) user_id: Vec<Option<&'a str>>,
    pub(super) correlation_id: Vec<Option<&'a str>>,
    pub(super) content_type: Vec<&'a str>,
    pub(super) occurred_at: Vec<i64>,
    pub(super) due_at: Vec<Option<i64>>,
    pub(super) destination: Vec<Option<&'a str>>,
    pub(super) max_attempts: Vec<Option<i32>>,
    pub(super) source_stream: Vec<Option<&'a str>>,
    pub(super) source_event: Vec<Option<&'a str>>,
    pub(super) headers: Vec<Option<String>>,
    pub(super) payload: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(messages: &'a [Message]) -> Result<Self> {
        let mut columns = Self::default();
        for message in messages {
            columns.push(message)?;
        }
        Ok(columns)
    }

    fn push(&mut self, message: &'a Message) -> Result<()> {
        let origin = message.origin.as_ref();
        self.id.push(message.id.to_string());
        self.event_type.push(&message.event_type);
        self.aggregate_type.push(&message.aggregate_type);
        self.aggregate_id.push(&message.aggregate_id);
        self.key.push(stored_key(message));
        self.tenant.push(message.tenant.as_deref());
        self.user_id.push(message.user.as_deref());
        self.correlation_id.push(message.correlation_id.as_deref());
        self.content_type.push(&message.content_type);
        self.occurred_at.push(micros(message.occurred_at));
        self.due_at.push(message.due_at.map(micros));
        self.destination.push(message.destination.as_deref());
        self.max_attempts.push(message.max_attempts.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)));
        self.source_stream.push(origin.map(|origin| origin.stream.as_str()));
        self.source_event.push(origin.map(|origin| origin.event.as_str()));
        self.headers.push(headers::encode(&message.headers)?);
        self.payload.push(&message.payload);
        Ok(())
    }

    /// What came of it, if so many rows were stored.
    pub(super) fn enqueued(&self, stored: u64) -> Enqueued {
        let stored = usize::try_from(stored).unwrap_or(usize::MAX);
        Enqueued { stored, duplicates: self.id.len().saturating_sub(stored) }
    }
}

/// The scopes of messages, each once and in an order that all writers share, so that no two wait for each other.
pub(super) fn keys(messages: &[Message]) -> Vec<String> {
    let scopes = messages.iter().filter_map(Message::order_key);
    let distinct: BTreeSet<String> =
        scopes.map(|scope| format!("{}\u{1f}{}", scope.tenant.unwrap_or_default(), scope.key)).collect();
    distinct.into_iter().collect()
}

/// The aggregate as key is stored as nothing: the database puts it together again, and the row is shorter.
fn stored_key(message: &Message) -> Option<&str> {
    let key = message.key.as_deref()?;
    let rest = key.strip_prefix(message.aggregate_type.as_str()).and_then(|rest| rest.strip_prefix('/'));
    if rest == Some(message.aggregate_id.as_str()) { Some("") } else { Some(key) }
}

fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}
