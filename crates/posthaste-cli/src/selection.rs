//! Which deliveries are meant: the filters of `list`, `replay` and `discard`, of the HTTP API, and of the query line.
//!
//! All three are the same selection. [`line`] reads and writes the line; [`Selection`] is what is given one filter at a time.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use posthaste::destination::Name;
use posthaste::inspect::{Filter, Status};
use posthaste::journal::Position;
use posthaste::message::MessageId;
use serde::{Deserialize, Serialize};

pub use self::moment::{Moment, moment, timestamp};

#[cfg(feature = "http")]
pub mod complete;
#[cfg(test)]
mod hostile;
pub mod line;
mod moment;
mod written;

#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Which deliveries")]
#[serde(try_from = "written::Written")]
pub struct Selection {
    /// These messages
    #[arg(skip)]
    #[serde(rename = "id", skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<MessageId>,
    /// One line in place of the filters below, as in 'status:dead destination:billing type:invoice.* since:2h'
    #[arg(long, value_name = "LINE", value_parser = line::parse, conflicts_with_all = FILTERS)]
    #[serde(skip)]
    query: Option<Box<Selection>>,
    // `state` was its name before, and is still understood.
    /// With this status; repeat for several
    #[arg(long = "status", alias = "state", value_name = "STATUS", value_parser = status_parser())]
    #[serde(rename = "status", skip_serializing_if = "Vec::is_empty")]
    statuses: Vec<Status>,
    /// To this destination
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
    /// Of this event type; `*` stands for any text, as in 'order.*'
    #[arg(long, value_name = "PATTERN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    /// With this key
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Of this aggregate, or of all aggregates of a type
    #[arg(long, value_name = "TYPE[/ID]")]
    #[serde(skip_serializing_if = "Option::is_none")]
    aggregate: Option<String>,
    /// Of this tenant
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// Whose last error is like this; `*` stands for any text, as in 'HTTP 503*'
    #[arg(long, value_name = "PATTERN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// That occurred at this time or later: 2h (ago), 2026-11-02T03:04Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Moment>,
    /// That occurred before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Moment>,
}

/// What cannot stand beside a query line: it would be unclear which of the two is meant.
const FILTERS: [&str; 9] =
    ["statuses", "destination", "event_type", "key", "aggregate", "tenant", "error", "since", "before"];

impl Selection {
    pub fn filter(&self, now: Timestamp) -> Filter {
        if let Some(query) = &self.query {
            return query.filter(now);
        }
        let (aggregate_type, aggregate_id) = match self.aggregate.as_deref().map(|text| text.split_once('/')) {
            Some(Some((kind, id))) => (Some(kind.to_owned()), Some(id.to_owned())),
            Some(None) => (self.aggregate.clone(), None),
            None => (None, None),
        };
        Filter {
            ids: self.ids.clone(),
            statuses: self.statuses.clone(),
            destination: self.destination.as_deref().map(Name::from),
            event_type: self.event_type.clone(),
            key: self.key.clone(),
            aggregate_type,
            aggregate_id,
            tenant: self.tenant.clone(),
            since: self.since.map(|moment| moment.resolve(now)),
            before: self.before.map(|moment| moment.resolve(now)),
            error: self.error.clone(),
        }
    }

    /// The same with this status alone.
    #[cfg(feature = "http")]
    pub fn with_status(self, status: Status) -> Self {
        Self { statuses: vec![status], ..self }
    }

    /// As a command line has it, ready to be pasted into a shell.
    #[cfg(feature = "http")]
    pub fn command(&self, command: &str) -> String {
        match line::write(self) {
            line if line.is_empty() => format!("posthaste {command}"),
            line => format!("posthaste {command} --query '{}'", line.replace('\'', r"'\''")),
        }
    }
}

/// With times that are fixed: what a filter selected once, it selects again.
impl From<&Filter> for Selection {
    fn from(filter: &Filter) -> Self {
        let aggregate = filter.aggregate_type.as_ref().map(|kind| match &filter.aggregate_id {
            Some(id) => format!("{kind}/{id}"),
            None => kind.clone(),
        });
        Self {
            ids: filter.ids.clone(),
            query: None,
            statuses: filter.statuses.clone(),
            destination: filter.destination.as_ref().map(ToString::to_string),
            event_type: filter.event_type.clone(),
            key: filter.key.clone(),
            aggregate,
            tenant: filter.tenant.clone(),
            error: filter.error.clone(),
            since: filter.since.map(Moment::At),
            before: filter.before.map(Moment::At),
        }
    }
}

/// `4711`, or `12.4711` where the store has ticks.
pub fn position(text: &str) -> Result<Position, String> {
    let (tick, seq) = text.split_once('.').unwrap_or(("0", text));
    match (tick.parse(), seq.parse()) {
        (Ok(tick), Ok(seq)) => Ok(Position { tick, seq }),
        _ => Err(format!("`{text}` is not a position: take one from the output of `posthaste list`")),
    }
}

/// A UUID, as `posthaste enqueue` and `posthaste list` print it.
pub fn message_id(text: &str) -> Result<MessageId, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not the id of a message: take one from the output of `posthaste list`"))
}

/// `TYPE/ID`, where the id may contain slashes of its own.
pub fn aggregate(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((kind, id)) if !kind.is_empty() && !id.is_empty() => Ok((kind.to_owned(), id.to_owned())),
        _ => Err(format!("`{text}` is not an aggregate: write its type and its id, as in order/4711")),
    }
}

/// The status of this name.
fn status(name: &str) -> Result<Status, String> {
    let known = || Status::ALL.map(Status::as_str).join(", ");
    Status::parse(name).ok_or_else(|| format!("`{name}` is not a status: write one of {}", known()))
}

fn status_parser() -> impl TypedValueParser<Value = Status> {
    let unknown = || "not a status".to_owned();
    PossibleValuesParser::new(Status::ALL.map(Status::as_str))
        .try_map(move |text| Status::parse(&text).ok_or_else(unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_may_have_a_tick() {
        assert_eq!(position("4711"), Ok(Position::seq(4711)));
        assert_eq!(position("12.4711"), Ok(Position { tick: 12, seq: 4711 }));
        assert!(position("twelve").is_err());
    }

    #[test]
    fn an_aggregate_has_a_type_and_an_id_which_may_contain_slashes() {
        assert_eq!(aggregate("order/4711"), Ok(("order".into(), "4711".into())));
        assert_eq!(aggregate("file/a/b"), Ok(("file".into(), "a/b".into())));
        for text in ["order", "/1", "order/"] {
            assert!(aggregate(text).is_err(), "{text}");
        }
    }
}
