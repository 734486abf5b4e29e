//! A message in the making, from the command line or from a line of JSON.

use jiff::Timestamp;
use posthaste::Message;
use posthaste::message::{Builder, Invalid, MessageId};

#[derive(Debug)]
pub struct Draft {
    pub id: Option<MessageId>,
    pub event_type: String,
    pub aggregate: (String, String),
    /// The aggregate, unless given.
    pub key: Option<String>,
    pub unordered: bool,
    pub payload: Vec<u8>,
    pub content_type: String,
    pub headers: Vec<(String, String)>,
    pub tenant: Option<String>,
    pub user: Option<String>,
    pub correlation_id: Option<String>,
    pub occurred_at: Option<Timestamp>,
    pub due_at: Option<Timestamp>,
    pub destination: Option<String>,
    pub max_attempts: Option<u32>,
    /// Stream and event.
    pub origin: Option<(String, String)>,
}

impl Draft {
    /// The message, or everything that is wrong with it.
    pub fn message(self) -> Result<Message, Invalid> {
        let (aggregate_type, aggregate_id) = self.aggregate;
        let builder =
            Message::builder(self.event_type, aggregate_type, aggregate_id).payload(self.payload, self.content_type);
        let builder = self.headers.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value));
        let builder = set(builder, self.id, Builder::id);
        let builder = set(builder, self.key, Builder::key);
        let builder = set(builder, self.unordered.then_some(()), |builder, ()| builder.unordered());
        let builder = set(builder, self.tenant, Builder::tenant);
        let builder = set(builder, self.user, Builder::user);
        let builder = set(builder, self.correlation_id, Builder::correlation_id);
        let builder = set(builder, self.occurred_at, Builder::occurred_at);
        let builder = set(builder, self.due_at, Builder::due_at);
        let builder = set(builder, self.destination, Builder::destination);
        let builder = set(builder, self.max_attempts, Builder::max_attempts);
        set(builder, self.origin, |builder, (stream, event)| builder.origin(stream, event)).build()
    }
}

fn set<T>(builder: Builder, value: Option<T>, with: impl FnOnce(Builder, T) -> Builder) -> Builder {
    match value {
        Some(value) => with(builder, value),
        None => builder,
    }
}
