//! The config as it is written: dumb structures, everything optional. `resolve` knows what it means.
//!
//! A sink that needs settings of its own gets a table named like its type, beside `type`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::problem::Problem;
use crate::{duration, sinks, store};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    pub store: Store,
    pub relay: Relay,
    pub retention: Retention,
    pub log: Log,
    pub destinations: BTreeMap<String, Destination>,
}

/// Not `Debug`: a URL or a table may hold a password.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    pub r#type: Option<store::Kind>,
    pub path: Option<PathBuf>,
    pub url: Option<String>,
    pub partitions: Option<u16>,
    /// What only this kind of store has, one table for each.
    pub postgres: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Relay {
    pub worker: Option<String>,
    pub lease_ttl: Option<Span>,
    pub poll_interval: Option<Span>,
    pub window_messages: Option<usize>,
    pub window_bytes: Option<usize>,
    pub read_batch: Option<usize>,
    pub commit_interval: Option<Span>,
    pub commit_batch: Option<usize>,
    pub max_held_keys: Option<usize>,
    pub start_delay: Option<Span>,
    pub stop_timeout: Option<Span>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    pub keep: Option<Keep>,
    pub purge_interval: Option<Span>,
    pub purge_on_start: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    pub format: Option<LogFormat>,
    pub level: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Pretty,
    Json,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Destination {
    pub r#type: Option<sinks::Kind>,
    pub events: Option<Vec<String>>,
    pub max_attempts: Option<u32>,
    pub backoff: Option<Backoff>,
    pub on_dead: Option<OnDead>,
    pub max_in_flight: Option<usize>,
    pub max_run: Option<usize>,
    pub batch_delay: Option<Span>,
    pub timeout: Option<Span>,
    pub tenant_rate: Option<TenantRate>,
    pub start_from: Option<StartFrom>,
}

/// One flat table for all types, so that an error can name the key that does not belong.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Backoff {
    pub r#type: Option<BackoffType>,
    pub first: Option<Span>,
    pub step: Option<Span>,
    pub cap: Option<Span>,
    pub jitter: Option<Span>,
    pub delays: Option<Vec<Span>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackoffType {
    #[default]
    Exponential,
    Linear,
    List,
    Patient,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDead {
    Block,
    Skip,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TenantRate {
    pub per_second: Option<f64>,
    pub burst: Option<u32>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartFrom {
    Beginning,
    Now,
}

/// A duration as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        duration::parse(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

/// How long delivered messages stay: a duration, or `forever`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep(pub Option<Duration>);

impl<'de> Deserialize<'de> for Keep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "forever" {
            return Ok(Self(None));
        }
        let parsed = duration::parse(&text).map(|keep| Self(Some(keep)));
        parsed.map_err(|error| serde::de::Error::custom(format!("{error}, or \"forever\"")))
    }
}

/// What the tree says, and everything that does not fit. Serde stops at the first misfit, so that one is noted, taken out
/// of the tree, and the rest is tried again.
pub fn parse(mut tree: Value) -> (File, Vec<Problem>) {
    let mut problems = Vec::new();
    loop {
        let misfit = match serde_path_to_error::deserialize::<_, File>(&tree) {
            Ok(file) => return (file, problems),
            Err(misfit) => misfit,
        };
        let keys = keys_of(misfit.path());
        problems.push(Problem::new(keys.join("."), reword(&misfit.inner().to_string())));
        if !remove(&mut tree, &keys) {
            return (File::default(), problems);
        }
    }
}

/// The keys down to the misfit; a misfit inside a list is laid at the list's door.
fn keys_of(path: &Path) -> Vec<String> {
    let key = |segment: &Segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        _ => None,
    };
    path.iter().map_while(key).collect()
}

fn remove(tree: &mut Value, keys: &[String]) -> bool {
    match keys {
        [] => false,
        [last] => tree.as_object_mut().is_some_and(|table| table.remove(last).is_some()),
        [first, rest @ ..] => tree.get_mut(first).is_some_and(|child| remove(child, rest)),
    }
}

/// Serde's words in ours.
pub(super) fn reword(says: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("unknown variant ", "cannot be "),
        ("invalid type: ", "has the wrong type: "),
        ("invalid value: ", "has the wrong value: "),
        ("expected usize", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected u16", "expected a whole number from 0 to 65535"),
    ];
    match says.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected ")) {
        Some((_, expected)) => format!("is not a setting: expected {expected}"),
        None => WORDS.iter().fold(says.to_owned(), |says, (theirs, ours)| says.replacen(theirs, ours, 1)),
    }
}
