//! What one `[sources.NAME]` means.

use std::collections::BTreeMap;

use posthaste::source::Feed;
use serde_json::{Map, Value};

use super::parse_source as parse;
use super::problem::Problem;
use super::resolve::at_least_one;
use super::resolve_map::{self, MapPlan};
use crate::sources;

/// A source as the config wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePlan {
    pub feed: Feed,
    pub map: MapPlan,
    pub source: sources::Planned,
}

pub fn resolve_all(written: BTreeMap<String, parse::Source>, problems: &mut Vec<Problem>) -> Vec<SourcePlan> {
    written.into_iter().filter_map(|(name, written)| resolve(&name, written, problems)).collect()
}

fn resolve(name: &str, mut written: parse::Source, problems: &mut Vec<Problem>) -> Option<SourcePlan> {
    let key = |setting: &str| format!("sources.{name}.{setting}");
    let usual = Feed::new(name);
    let max_batch = written.max_batch.unwrap_or(usual.max_batch);
    let (window, bytes) = (written.window.unwrap_or(usual.window), written.window_bytes.unwrap_or(usual.window_bytes));
    for (setting, value) in [("max_batch", max_batch), ("window", window), ("window_bytes", bytes)] {
        at_least_one(&key(setting), value, problems);
    }
    let on_error = match written.on_error.as_deref().map(str::parse) {
        Some(Err(wrong)) => {
            problems.push(Problem::new(key("on_error"), wrong));
            None
        }
        parsed => parsed.and_then(Result::ok),
    };
    let map = resolve_map::resolve(&key("map"), written.map.take(), problems);
    let feed = usual.max_batch(max_batch).window(window, bytes).on_error(on_error.unwrap_or_default());
    let source = source(name, &mut written, problems)?;
    Some(SourcePlan { feed, map: map?, source })
}

/// The source, if this program can open it and its settings are right.
fn source(name: &str, written: &mut parse::Source, problems: &mut Vec<Problem>) -> Option<sources::Planned> {
    let key = format!("sources.{name}.type");
    let Some(kind) = written.r#type else {
        // A type that nobody knows is a problem already.
        if !problems.iter().any(|problem| problem.key == key) {
            problems.push(Problem::new(key, "is missing: write the kind of source, such as \"kurrentdb\""));
        }
        return None;
    };
    if let Err(why) = kind.available() {
        problems.push(Problem::new(key, why));
        return None;
    }
    let settings = match kind {
        sources::Kind::Kurrentdb => written.kurrentdb.take(),
        sources::Kind::Table => written.table.take(),
    };
    let settings = settings.unwrap_or_else(|| Value::Object(Map::new()));
    let planned = sources::Planned { kind, settings };
    planned.open_or_note(&format!("sources.{name}.{kind}"), problems);
    Some(planned)
}
