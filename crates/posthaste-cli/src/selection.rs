//! Which deliveries a command is about: the filters of `list`, `replay` and `discard`, and of the HTTP API.

use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use posthaste::destination::Name;
use posthaste::duration;
use posthaste::inspect::{Filter, Status};
use posthaste::journal::Position;
use posthaste::message::MessageId;
use serde::{Deserialize, Deserializer};

#[derive(Debug, Default, Args, Deserialize)]
#[command(next_help_heading = "Which deliveries")]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    // `state` was its name before, and is still understood.
    /// With this status; repeat for several
    #[arg(long = "status", alias = "state", value_name = "STATUS", value_parser = status_parser())]
    #[serde(rename = "status", alias = "state", deserialize_with = "statuses")]
    statuses: Vec<Status>,
    /// To this destination
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
    /// Of this event type; `*` stands for any text, as in 'order.*'
    #[arg(long, value_name = "PATTERN")]
    event_type: Option<String>,
    /// With this key
    #[arg(long)]
    key: Option<String>,
    /// Of this aggregate, or of all aggregates of a type
    #[arg(long, value_name = "TYPE[/ID]")]
    aggregate: Option<String>,
    /// Of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// That occurred at this time or later: 2h (ago), 2026-11-02T03:04Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,
    /// That occurred before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    before: Option<Moment>,
}

/// A time as people type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Ago(Duration),
    At(Timestamp),
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        moment(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A list, or text with commas as it stands in a URL.
fn statuses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Status>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        List(Vec<String>),
    }
    let names = match Written::deserialize(deserializer)? {
        Written::Text(text) => text.split(',').map(|name| name.trim().to_owned()).collect(),
        Written::List(names) => names,
    };
    let parse = |name: &String| {
        let known = || Status::ALL.map(Status::as_str).join(", ");
        Status::parse(name)
            .ok_or_else(|| serde::de::Error::custom(format!("`{name}` is not a status: write one of {}", known())))
    };
    names.iter().map(parse).collect()
}

impl Selection {
    pub fn filter(&self, now: Timestamp) -> Filter {
        let (aggregate_type, aggregate_id) = match self.aggregate.as_deref().map(|text| text.split_once('/')) {
            Some(Some((kind, id))) => (Some(kind.to_owned()), Some(id.to_owned())),
            Some(None) => (self.aggregate.clone(), None),
            None => (None, None),
        };
        Filter {
            ids: Vec::new(),
            statuses: self.statuses.clone(),
            destination: self.destination.as_deref().map(Name::from),
            event_type: self.event_type.clone(),
            key: self.key.clone(),
            aggregate_type,
            aggregate_id,
            tenant: self.tenant.clone(),
            since: self.since.map(|moment| moment.resolve(now)),
            before: self.before.map(|moment| moment.resolve(now)),
        }
    }
}

/// A filter in words, for the audit log.
pub fn words(filter: &Filter) -> String {
    let list = |items: Vec<String>| Some(items.join(", ")).filter(|text| !text.is_empty());
    let aggregate = filter.aggregate_type.as_ref().map(|kind| match &filter.aggregate_id {
        Some(id) => format!("{kind}/{id}"),
        None => kind.clone(),
    });
    let parts = [
        ("ids", list(filter.ids.iter().map(ToString::to_string).collect())),
        ("status", list(filter.statuses.iter().map(|status| status.as_str().to_owned()).collect())),
        ("destination", filter.destination.as_ref().map(ToString::to_string)),
        ("event type", filter.event_type.clone()),
        ("key", filter.key.clone()),
        ("aggregate", aggregate),
        ("tenant", filter.tenant.clone()),
        ("since", filter.since.map(|time| time.to_string())),
        ("before", filter.before.map(|time| time.to_string())),
    ];
    let written = parts.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    written.collect::<Vec<_>>().join("; ")
}

impl Moment {
    pub fn resolve(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
            Self::At(time) => time,
        }
    }
}

/// `2h` is two hours ago; a time without a zone is UTC.
pub fn moment(text: &str) -> Result<Moment, String> {
    if let Ok(ago) = duration::parse(text) {
        return Ok(Moment::Ago(ago));
    }
    timestamp(text).map(Moment::At).map_err(|_| {
        format!("`{text}` is not a time: write how long ago (90s, 2h, 7d) or when (2026-11-02, 2026-11-02T03:04, 2026-11-02T03:04:05Z)")
    })
}

/// A point in time; without a zone, UTC.
pub fn timestamp(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let civil = text.trim_end_matches('Z').parse::<DateTime>().and_then(|civil| civil.to_zoned(TimeZone::UTC));
    civil.map(|zoned| zoned.timestamp()).map_err(|_| {
        format!("`{text}` is not a time: write it as 2026-11-02, 2026-11-02T03:04 or 2026-11-02T03:04:05Z")
    })
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

fn status_parser() -> impl TypedValueParser<Value = Status> {
    let unknown = || "not a status".to_owned();
    PossibleValuesParser::new(Status::ALL.map(Status::as_str))
        .try_map(move |text| Status::parse(&text).ok_or_else(unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_how_long_ago_or_when() {
        let now: Timestamp = "2026-11-02T12:00:00Z".parse().unwrap();
        let cases = [
            ("2h", "2026-11-02T10:00:00Z"),
            ("7d", "2026-10-26T12:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T03:04", "2026-11-01T03:04:00Z"),
            ("2026-11-01T03:04Z", "2026-11-01T03:04:00Z"),
            ("2026-11-01T03:04:05+02:00", "2026-11-01T01:04:05Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text).unwrap().resolve(now).to_string(), expected, "{text}");
        }
        assert!(moment("yesterday").unwrap_err().contains("how long ago"));
    }

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
