//! How to use a database, and what an existing outbox collection calls its fields.

use std::time::Duration;

use serde::Deserialize;

use crate::duration;
use crate::error::{Error, Kind, Result};
use crate::journal::PARTITIONS;

/// How to use a database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Options {
    /// Where the journal lives, unless the address names it.
    pub database: Option<String>,
    /// The collection that applications write to.
    pub collection: String,
    /// The collection in which inboxes keep what they have seen; the newest position of each key is in another one, whose name ends
    /// in `_order`.
    #[serde(skip)]
    pub inbox: String,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    #[serde(skip)]
    pub partitions: u16,
    /// Follow the change stream. Without it everything works, found by polling.
    pub change_stream: bool,
    /// Stamp `status`, `publishedAt`, … on the documents, for people who look into the collection.
    pub stamp_status: bool,
    /// The aggregate type of plain documents that have none.
    pub aggregate_type: String,
    /// What the fields of a document are called.
    pub fields: Fields,
    /// What the status of a document is called.
    pub status: StatusNames,
    /// How long the server may say nothing before a call of the relay has failed. What was merely slow gets twice as long the next time.
    #[serde(with = "duration")]
    pub answer_timeout: Duration,
    /// How long to wait for a connection.
    #[serde(skip)]
    pub connect_timeout: Duration,
    /// How long a call waits for a primary.
    #[serde(skip)]
    pub server_selection_timeout: Duration,
    /// A call that takes longer has failed: the driver has no time limit of its own for an answer.
    #[serde(skip)]
    pub call_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            database: None,
            collection: "outbox_events".into(),
            inbox: "inbox".into(),
            partitions: PARTITIONS,
            change_stream: true,
            stamp_status: true,
            aggregate_type: "aggregate".into(),
            fields: Fields::default(),
            status: StatusNames::default(),
            answer_timeout: Duration::from_secs(8),
            connect_timeout: Duration::from_secs(5),
            server_selection_timeout: Duration::from_secs(15),
            call_timeout: Duration::from_secs(30),
        }
    }
}

/// What the status of a document is called. A document that is stamped as published when it is first seen was delivered by
/// whoever came before, and is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StatusNames {
    /// Not delivered yet.
    pub pending: String,
    /// Delivered to everyone who takes it.
    pub published: String,
    /// Dead or discarded at one who takes it.
    pub failed: String,
}

impl Default for StatusNames {
    fn default() -> Self {
        Self::new("pending", "published", "failed")
    }
}

impl StatusNames {
    /// What a collection calls its three statuses.
    pub fn new(pending: impl Into<String>, published: impl Into<String>, failed: impl Into<String>) -> Self {
        Self { pending: pending.into(), published: published.into(), failed: failed.into() }
    }
}

/// Defines [`Fields`] and [`Field`] together, so that no field is forgotten in one of them.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident / $variant:ident = $default:literal,)+) => {
        /// The names of a document's fields.
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Fields { $($(#[$doc])* pub $name: String,)+ }

        impl Default for Fields {
            fn default() -> Self {
                Self { $($name: $default.into(),)+ }
            }
        }

        /// One field of a document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field { $($variant,)+ }

        impl Fields {
            /// Every field with its name.
            pub(super) fn all(&self) -> Vec<(Field, &str)> {
                vec![$((Field::$variant, self.$name.as_str()),)+]
            }

            /// Every field with its setting and its name, which may be changed.
            pub(super) fn each(&mut self) -> Vec<(Field, &'static str, &mut String)> {
                vec![$((Field::$variant, stringify!($name), &mut self.$name),)+]
            }
        }
    };
}

fields! {
    /// The message's id where it is not `_id`: a UUID, as text or binary.
    id / Id = "eventId",
    /// What happened; routes match on it.
    event_type / EventType = "eventType",
    /// The kind of thing that it happened to.
    aggregate_type / AggregateType = "aggregateType",
    /// Which thing of that kind.
    aggregate_id / AggregateId = "aggregateId",
    /// The ordering scope; the aggregate where it is missing, no order where it is null.
    key / Key = "key",
    /// The body: text or binary as it is, anything else as JSON.
    payload / Payload = "payload",
    /// The media type of the payload.
    content_type / ContentType = "contentType",
    /// Headers: an object, or a list of pairs.
    headers / Headers = "headers",
    /// Whose message it is, where several share a journal.
    tenant / Tenant = "tenant",
    /// Who caused it.
    user / User = "userId",
    /// What it belongs to, across messages.
    correlation_id / CorrelationId = "correlationId",
    /// When it happened.
    occurred_at / OccurredAt = "occurredAt",
    /// Not delivered before.
    due_at / DueAt = "dueAt",
    /// The one destination it goes to, instead of all whose routes match.
    destination / Destination = "destination",
    /// How often it is tried, instead of as often as the destination says.
    max_attempts / MaxAttempts = "maxAttempts",
    /// The stream it was made from.
    source_stream / SourceStream = "sourceStream",
    /// The event of that stream it was made from.
    source_event / SourceEvent = "sourceEvent",
    /// Written as `Timestamp(0, 0)`, which the server replaces by its logical clock: the order of plain documents.
    recorded_at / RecordedAt = "recordedAt",
    /// Stamped: one of [`StatusNames`].
    status / Status = "status",
    /// Stamped: when everyone had it.
    published_at / PublishedAt = "publishedAt",
    /// Stamped: the attempts so far.
    retry_count / RetryCount = "retryCount",
    /// Stamped: why it was not delivered.
    last_error / LastError = "lastError",
    /// Stamped: when something was last done about it.
    processed_at / ProcessedAt = "processedAt",
}

impl Options {
    /// Names that would be read as something else than a name are refused here, not by the server in the middle of work.
    pub(super) fn check(&self) -> Result<()> {
        let fields = self.fields.all();
        for (n, (_, name)) in fields.iter().enumerate() {
            let plain = !name.is_empty() && !name.contains(['.', '$', '\0']) && !["_id", "posthaste"].contains(name);
            if !plain {
                return Err(invalid(format!(
                    "`{name}` cannot be the name of a field: it is taken, empty or has . or $"
                )));
            }
            if fields[..n].iter().any(|(_, other)| other == name) {
                return Err(invalid(format!("two fields are called `{name}`")));
            }
        }
        for collection in [&self.collection, &self.inbox] {
            let own = super::db::OWN.iter().any(|own| own == collection);
            if collection.is_empty() || collection.contains(['$', '\0']) || own {
                return Err(invalid(format!("`{collection}` cannot be the name of the collection")));
            }
        }
        if self.collection == self.inbox {
            return Err(invalid(format!("`{}` cannot be both the outbox and the inbox", self.inbox)));
        }
        Ok(())
    }
}

fn invalid(text: String) -> Error {
    Error::new(Kind::Invalid, text)
}
