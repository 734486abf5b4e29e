//! What the config means: defaults are filled in and everything is checked.

use std::path::Path;
use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::journal::WorkerId;
use posthaste::relay::Settings;

pub use super::parse::LogFormat;
use super::parse::{self, Keep, Span};
use super::problem::Problem;
use super::resolve_http::HttpPlan;
use super::resolve_otlp::OtlpPlan;
use super::resolve_source::SourcePlan;
use super::resolve_store::StorePlan;
use super::{resolve_destination, resolve_http, resolve_notify, resolve_otlp, resolve_source, resolve_store};
use crate::sinks;

/// A config that can be acted upon.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub store: StorePlan,
    pub relay: Settings,
    pub log: LogPlan,
    /// The relay listens only if the config says so.
    pub http: Option<HttpPlan>,
    /// Spans are made only if the config says so.
    pub otlp: Option<OtlpPlan>,
    /// Somebody is told of what is wrong only if the config says so.
    pub notify: Option<posthaste::notify::Settings>,
    pub destinations: Vec<DestinationPlan>,
    pub sources: Vec<SourcePlan>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlan {
    pub format: LogFormat,
    /// A level, or directives as `tracing-subscriber` understands them.
    pub level: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DestinationPlan {
    pub destination: Destination,
    pub sink: sinks::Planned,
}

impl DestinationPlan {
    /// The destination's name with its transformation.
    pub fn transform(&self) -> Option<(Name, String)> {
        Some((self.destination.name.clone(), self.sink.transform.clone()?))
    }
}

/// Fills in and checks. The plan is only good if no problem was added.
pub fn resolve(file: parse::File, folder: &Path, problems: &mut Vec<Problem>) -> Plan {
    let mut relay = relay(file.relay, problems);
    retention(&file.retention, &mut relay, problems);
    let destinations = resolve_destination::resolve_all(file.destinations, file.notify.as_ref(), problems);
    let known: Vec<Destination> = destinations.iter().map(|plan| plan.destination.clone()).collect();
    Plan {
        store: resolve_store::resolve(file.store, folder, problems),
        relay,
        log: log(file.log, problems),
        http: resolve_http::resolve(file.http, problems),
        otlp: resolve_otlp::resolve(file.otlp, problems),
        notify: resolve_notify::resolve(file.notify, &known, problems),
        destinations,
        sources: resolve_source::resolve_all(file.sources, problems),
    }
}

fn relay(written: parse::Relay, problems: &mut Vec<Problem>) -> Settings {
    let defaults = Settings::default();
    if written.worker.as_deref().is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
        problems.push(Problem::new("relay.worker", "needs a name without control characters, or leave it out"));
    }
    let settings = Settings {
        worker: written.worker.map_or(defaults.worker, WorkerId),
        lease_ttl: or(written.lease_ttl, defaults.lease_ttl),
        poll_interval: or(written.poll_interval, defaults.poll_interval),
        window_messages: written.window_messages.unwrap_or(defaults.window_messages),
        window_bytes: written.window_bytes.unwrap_or(defaults.window_bytes),
        read_batch: written.read_batch.unwrap_or(defaults.read_batch),
        commit_interval: or(written.commit_interval, defaults.commit_interval),
        commit_batch: written.commit_batch.unwrap_or(defaults.commit_batch),
        max_held_keys: written.max_held_keys.unwrap_or(defaults.max_held_keys),
        max_worker_deaths: written.max_worker_deaths.unwrap_or(defaults.max_worker_deaths),
        start_delay: or(written.start_delay, defaults.start_delay),
        stop_timeout: or(written.stop_timeout, defaults.stop_timeout),
        ..defaults
    };
    at_least("relay.lease_ttl", settings.lease_ttl, Duration::from_secs(1), problems);
    at_least("relay.poll_interval", settings.poll_interval, Duration::from_millis(1), problems);
    at_least_one("relay.window_messages", settings.window_messages, problems);
    at_least_one("relay.window_bytes", settings.window_bytes, problems);
    at_least_one("relay.read_batch", settings.read_batch, problems);
    at_least_one("relay.commit_batch", settings.commit_batch, problems);
    at_least_one("relay.max_held_keys", settings.max_held_keys, problems);
    at_least_one("relay.max_worker_deaths", settings.max_worker_deaths as usize, problems);
    settings
}

fn retention(written: &parse::Retention, settings: &mut Settings, problems: &mut Vec<Problem>) {
    if let Some(Keep(keep)) = written.keep {
        settings.retention = keep;
    }
    settings.purge_interval = or(written.purge_interval, settings.purge_interval);
    settings.purge_on_start = written.purge_on_start.unwrap_or(settings.purge_on_start);
    at_least("retention.purge_interval", settings.purge_interval, Duration::from_secs(1), problems);
}

fn log(written: parse::Log, problems: &mut Vec<Problem>) -> LogPlan {
    let level = written.level.unwrap_or_else(|| "info".into());
    if level.parse::<tracing_subscriber::filter::Targets>().is_err() {
        let remedy = "write error, warn, info, debug or trace, or directives such as \"info,posthaste=debug\"";
        problems.push(Problem::new("log.level", format!("is `{level}`, which is not a level: {remedy}")));
    }
    LogPlan { format: written.format.unwrap_or_default(), level }
}

pub(super) fn or(written: Option<Span>, default: Duration) -> Duration {
    written.map_or(default, |Span(duration)| duration)
}

pub(super) fn at_least(key: &str, value: Duration, least: Duration, problems: &mut Vec<Problem>) {
    if value < least {
        let (value, least) = (posthaste::duration::brief(value), posthaste::duration::brief(least));
        problems.push(Problem::new(key, format!("is {value}: write at least {least}")));
    }
}

pub(super) fn at_least_one(key: &str, value: usize, problems: &mut Vec<Problem>) {
    if value == 0 {
        problems.push(Problem::new(key, "is 0: write at least 1"));
    }
}
