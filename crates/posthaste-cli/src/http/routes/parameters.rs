//! The query parameters of routes.

use serde_json::{Value, json};

/// One parameter of a query.
pub struct Parameter {
    pub name: &'static str,
    pub description: &'static str,
    kind: Kind,
}

enum Kind {
    Text,
    Number,
    Limit,
    OneOf(&'static [&'static str]),
}

impl Parameter {
    pub fn schema(&self) -> Value {
        match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Number => json!({ "type": "integer", "minimum": 0 }),
            Kind::Limit => json!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 }),
            Kind::OneOf(values) => json!({ "type": "string", "enum": values }),
        }
    }
}

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, description, kind: Kind::Text }
}

const fn number(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, description, kind: Kind::Number }
}

const fn one_of(name: &'static str, values: &'static [&'static str], description: &'static str) -> Parameter {
    Parameter { name, description, kind: Kind::OneOf(values) }
}

const LIMIT: Parameter = Parameter {
    name: "limit",
    description: "About how many: the deliveries of a message stay together",
    kind: Kind::Limit,
};

/// The filters of a list, its place and its order.
pub const SELECTION: &[Parameter] = &[
    LIMIT,
    one_of("order", &["oldest", "newest"], "Which come first; the oldest unless told otherwise"),
    AFTER,
    QUERY,
    ID,
    STATUS,
    DESTINATION,
    EVENT_TYPE,
    KEY,
    OF_AGGREGATE,
    TENANT,
    ERROR,
    SINCE,
    BEFORE,
];

pub const COUNT: &[Parameter] =
    &[AFTER, QUERY, ID, STATUS, DESTINATION, EVENT_TYPE, KEY, OF_AGGREGATE, TENANT, ERROR, SINCE, BEFORE];

const AFTER: Parameter =
    text("after", "Only what comes beyond this position, in the order of the list; `next` of the page before");
const QUERY: Parameter =
    text("query", "All filters in one line, in place of those below: status:dead destination:billing since:2h");
const ID: Parameter = text("id", "Only these messages, separated by commas");
const STATUS: Parameter = text("status", "Only with one of these statuses, separated by commas");
const DESTINATION: Parameter = text("destination", "Only to this destination");
const EVENT_TYPE: Parameter = text("event_type", "Only of this event type; `*` stands for any text");
const KEY: Parameter = text("key", "Only with this key");
const OF_AGGREGATE: Parameter = text("aggregate", "Only of this aggregate (TYPE/ID), or of all of a type (TYPE)");
const TENANT: Parameter = text("tenant", "Only of this tenant");
const ERROR: Parameter = text("error", "Only with a last error like this; `*` stands for any text");
const SINCE: Parameter = text("since", "Only what occurred at this time or later: 2h (ago), 2026-11-02T03:04Z");
const BEFORE: Parameter = text("before", "Only what occurred before this time");

/// The filters of failures; without a status, dead and retrying ones.
pub const FAILURES: &[Parameter] =
    &[QUERY, ID, STATUS, DESTINATION, EVENT_TYPE, KEY, OF_AGGREGATE, TENANT, ERROR, SINCE, BEFORE];

pub const SERIES: &[Parameter] =
    &[one_of("window", &["10m", "1h", "24h"], "How far back; 10m unless told"), DESTINATION];

pub const LANE: &[Parameter] = &[text("destination", "At which destination; the first that takes it unless told")];

pub const KEY_LANE: &[Parameter] = &[KEY, TENANT, DESTINATION];

pub const LINE: &[Parameter] =
    &[text("query", "A query line"), one_of("for", &["list", "replay", "discard"], "The command that it is for")];

pub const COMPLETE: &[Parameter] = &[
    text("query", "A query line"),
    number("at", "Where the cursor stands in it, in characters; at its end unless told"),
];

pub const SHOW: &[Parameter] = &[one_of(
    "payload",
    &["true", "false"],
    "`true` shows payload and header values too, to operators only; each look is in the audit log",
)];

pub const AGGREGATE: &[Parameter] = &[text("aggregate", "TYPE/ID"), TENANT];

pub const PAGE: &[Parameter] = &[number("before", "Only entries before this number"), LIMIT];
