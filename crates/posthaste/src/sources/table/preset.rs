//! Tables that are in use, as their owners write them.

use std::fmt;

use serde::Deserialize;

use super::settings::{Pending, Taken};

/// Whose table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// `core_outbox.integration_outbox`: statuses from `PENDING` to `SENT`, one destination a row, the source's stream and event.
    IntegrationOutbox,
    /// `OutboxDomainEvents` of the bITdevKit: `ProcessedOn` is the mark.
    OutboxDomainEvents,
    /// The table of Debezium's outbox event router: a row is deleted once it is taken.
    Debezium,
    /// Any table with a column `status` that is `PENDING` or `NEW`, and `SENT` afterwards.
    Status,
}

/// A part of a message, and the columns that may have it: the first that is there.
pub(super) type Candidates = (&'static str, &'static [&'static str]);

impl Preset {
    /// Those that are recognised; of two that know as many columns of a table the first.
    pub const ALL: [Self; 4] = [Self::IntegrationOutbox, Self::OutboxDomainEvents, Self::Debezium, Self::Status];

    /// Its name in configs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IntegrationOutbox => "integration_outbox",
            Self::OutboxDomainEvents => "outbox_domain_events",
            Self::Debezium => "debezium",
            Self::Status => "status",
        }
    }

    /// What the table is called, if it has a name of its own.
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::IntegrationOutbox => "core_outbox.integration_outbox",
            Self::OutboxDomainEvents => "OutboxDomainEvents",
            Self::Debezium => "outboxevent",
            Self::Status => "",
        }
    }

    pub(super) fn columns(self) -> &'static [Candidates] {
        match self {
            Self::IntegrationOutbox => &[
                ("id", &["id"]),
                ("event", &["source_event_id"]),
                ("stream", &["source_stream_id"]),
                ("event_type", &["event_type"]),
                ("payload", &["payload"]),
                ("headers", &["headers"]),
                ("tenant", &["tenant_id"]),
                ("user", &["user_id"]),
                ("correlation_id", &["correlation_id"]),
                ("destination", &["integration_type"]),
                ("occurred_at", &["created_at"]),
                ("due_at", &["due_at"]),
            ],
            Self::OutboxDomainEvents => &[
                ("id", &["id"]),
                ("event", &["event_id"]),
                ("event_type", &["event_type"]),
                ("aggregate_type", &["aggregate_type"]),
                ("aggregate_id", &["aggregate_id"]),
                ("payload", &["content"]),
                ("occurred_at", &["occurred_on"]),
            ],
            Self::Debezium => &[
                ("id", &["id"]),
                ("event_type", &["type"]),
                ("aggregate_type", &["aggregatetype"]),
                ("aggregate_id", &["aggregateid"]),
                ("payload", &["payload"]),
                ("occurred_at", &["timestamp"]),
            ],
            Self::Status => STATUS,
        }
    }

    /// The order of the table: the columns of these that it has.
    pub(super) fn order(self) -> &'static [&'static str] {
        match self {
            Self::IntegrationOutbox => &["created_at", "id"],
            Self::OutboxDomainEvents => &["occurred_on", "id"],
            Self::Debezium => &["timestamp", "id"],
            Self::Status => &["sequence", "created_at", "id"],
        }
    }

    pub(super) fn pending(self) -> Option<Pending> {
        let of = |column: &str, is: &[&str]| Pending {
            column: column.into(),
            is: is.iter().map(|value| (*value).to_owned()).collect(),
        };
        match self {
            Self::IntegrationOutbox => Some(of("status", &["PENDING", "FAILED"])),
            Self::OutboxDomainEvents => Some(of("processed_on", &[])),
            Self::Debezium => None,
            Self::Status => Some(of("status", &["PENDING", "pending", "NEW", "new"])),
        }
    }

    pub(super) fn taken(self) -> Taken {
        let set = |value: &str| [("status".to_owned(), value.to_owned())].into();
        let now = |columns: &[&str]| columns.iter().map(|column| (*column).to_owned()).collect();
        match self {
            Self::IntegrationOutbox => Taken { set: set("SENT"), now: now(&["sent_at"]), delete: false },
            Self::OutboxDomainEvents => Taken { now: now(&["processed_on"]), ..Taken::default() },
            Self::Debezium => Taken { delete: true, ..Taken::default() },
            Self::Status => Taken { set: set("SENT"), ..Taken::default() },
        }
    }

    pub(super) fn refused(self) -> Option<Taken> {
        let dead = || Taken { set: [("status".to_owned(), "DEAD".to_owned())].into(), ..Taken::default() };
        (self == Self::IntegrationOutbox).then(dead)
    }
}

const STATUS: &[Candidates] = &[
    ("id", &["id", "event_id", "message_id", "uuid"]),
    ("event_type", &["event_type", "type", "event_name", "message_type", "topic"]),
    ("aggregate_type", &["aggregate_type", "entity_type"]),
    ("aggregate_id", &["aggregate_id", "entity_id"]),
    ("key", &["message_key", "partition_key"]),
    ("payload", &["payload", "content", "data", "body", "event_data"]),
    ("headers", &["headers"]),
    ("tenant", &["tenant_id", "tenant"]),
    ("user", &["user_id"]),
    ("correlation_id", &["correlation_id"]),
    ("occurred_at", &["occurred_at", "occurred_on", "created_at", "created_on", "timestamp"]),
];

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
