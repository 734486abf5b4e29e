//! How to use a database, and what an existing outbox collection calls its fields.

use std::time::Duration;

use serde::Deserialize;

use crate::error::{Error, Kind, Result};
use crate::journal::PARTITIONS;

/// How to use a database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where the journal lives, unless the address names it.
    pub database: Option<String>,
    /// The collection that applications write to.
    pub collection: String,
    /// Partitions of a journal that is yet to be made; an existing one keeps what it has.
    #[serde(skip)]
    pub partitions: u16,
    /// Follow the change stream. Without it everything works, found by polling.
    pub change_stream: bool,
    /// Stamp `status`, `publishedAt`, … on the documents, for people who look into the collection.
    pub stamp_status: bool,
    /// The aggregate type of plain documents that have none.
    pub aggregate_type: String,
    pub fields: Fields,
    pub status: StatusNames,
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
            partitions: PARTITIONS,
            change_stream: true,
            stamp_status: true,
            aggregate_type: "aggregate".into(),
            fields: Fields::default(),
            status: StatusNames::default(),
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
pub struct StatusNames {
    pub pending: String,
    pub published: String,
    pub failed: String,
}

impl Default for StatusNames {
    fn default() -> Self {
        Self { pending: "pending".into(), published: "published".into(), failed: "failed".into() }
    }
}

/// Defines [`Fields`] and [`Field`] together, so that no field is forgotten in one of them.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident / $variant:ident = $default:literal,)+) => {
        /// The names of a document's fields.
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(default, deny_unknown_fields)]
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
        }
    };
}

fields! {
    /// The message's id where it is not `_id`: a UUID, as text or binary.
    id / Id = "eventId",
    event_type / EventType = "eventType",
    aggregate_type / AggregateType = "aggregateType",
    aggregate_id / AggregateId = "aggregateId",
    /// The ordering scope; the aggregate where it is missing, no order where it is null.
    key / Key = "key",
    payload / Payload = "payload",
    content_type / ContentType = "contentType",
    headers / Headers = "headers",
    tenant / Tenant = "tenant",
    user / User = "userId",
    correlation_id / CorrelationId = "correlationId",
    occurred_at / OccurredAt = "occurredAt",
    due_at / DueAt = "dueAt",
    destination / Destination = "destination",
    max_attempts / MaxAttempts = "maxAttempts",
    source_stream / SourceStream = "sourceStream",
    source_event / SourceEvent = "sourceEvent",
    /// Written as `Timestamp(0, 0)`, which the server replaces by its logical clock: the order of plain documents.
    recorded_at / RecordedAt = "recordedAt",
    status / Status = "status",
    published_at / PublishedAt = "publishedAt",
    retry_count / RetryCount = "retryCount",
    last_error / LastError = "lastError",
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
        let collection = &self.collection;
        let own = super::db::OWN.iter().any(|own| own == collection);
        if collection.is_empty() || collection.contains(['$', '\0']) || own {
            return Err(invalid(format!("`{collection}` cannot be the name of the collection")));
        }
        Ok(())
    }
}

fn invalid(text: String) -> Error {
    Error::new(Kind::Invalid, text)
}
