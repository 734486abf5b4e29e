//! Every metric: its name, what it means, where its figure comes from. `docs/reference/metrics.md` is made of this list.

use posthaste::inspect::{DestinationCounts, Overview, SourceStatus};
use posthaste::journal::SourceState;
use posthaste::relay::{DestinationSnapshot, Histogram, Snapshot, Tally};

/// What the figures are read from.
pub struct Facts<'a> {
    /// `None` while the store does not answer.
    pub overview: Option<&'a Overview>,
    pub snapshot: &'a Snapshot,
    pub tally: &'a Tally,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Gauge,
    Counter,
    Histogram,
}

pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub labels: &'static [&'static str],
    pub help: &'static str,
    pub read: fn(&Facts<'_>) -> Vec<Sample>,
}

/// One line, or the lines of one histogram; label values in the order of the metric's labels.
pub struct Sample {
    pub labels: Vec<String>,
    pub value: Value,
}

pub enum Value {
    Number(f64),
    Histogram(Histogram),
}

const DESTINATION: &[&str] = &["destination"];
const SOURCE: &[&str] = &["source"];

#[rustfmt::skip]
pub static METRICS: [Metric; 40] = [
    gauge("posthaste_pending", DESTINATION, "Messages that the destination's lanes have not reached yet.", |facts| each(facts, |counts| counts.pending as f64)),
    gauge("posthaste_oldest_pending_seconds", DESTINATION, "Age of the oldest pending message; 0 when there is none.", |facts| each(facts, |counts| counts.oldest_pending_seconds.unwrap_or(0.0))),
    gauge("posthaste_parked", &["destination", "reason"], "Parked deliveries, by status: retrying, scheduled, throttled, paused, awaiting, replay, dead.", parked),
    gauge("posthaste_waiting", DESTINATION, "Messages that wait behind the head of a held key.", |facts| each(facts, |counts| counts.waiting as f64)),
    gauge("posthaste_dead", DESTINATION, "Dead deliveries: nothing happens to them until someone replays or discards them.", |facts| each(facts, |counts| counts.dead as f64)),
    gauge("posthaste_held_keys", DESTINATION, "Held keys: their later messages wait behind one that is retrying, throttled, paused, dead, or waits for its answer.", |facts| each(facts, |counts| counts.held_keys as f64)),
    gauge("posthaste_paused", DESTINATION, "1 while the destination is paused.", |facts| each(facts, |counts| f64::from(counts.paused))),
    gauge("posthaste_messages", &[], "Messages kept, delivered ones included.", |facts| all(facts, |overview| overview.messages as f64)),
    gauge("posthaste_workers", &[], "Workers alive on this store.", |facts| all(facts, |overview| overview.workers.iter().filter(|worker| worker.alive).count() as f64)),
    gauge("posthaste_unheld_partitions", &[], "Partitions that no worker serves.", |facts| all(facts, |overview| overview.unheld_partitions as f64)),
    gauge("posthaste_store_up", &[], "1 if the store answered just now.", |facts| one(f64::from(facts.overview.is_some()))),
    gauge("posthaste_store_wal_bytes", &[], "SQLite: size of the write-ahead log. One that only grows means that a reader hangs.", |facts| figure(facts, "wal_bytes")),
    gauge("posthaste_store_oldest_transaction_seconds", &[], "PostgreSQL, MySQL: age of the oldest open transaction. Its own messages wait for it, and rows cannot be cleaned up. Absent on MySQL if its user has not the privilege PROCESS.", |facts| figure(facts, "oldest_transaction_seconds")),
    gauge("posthaste_store_tick_delay_seconds", &[], "PostgreSQL: age of the oldest committed message that no tick holds yet.", |facts| figure(facts, "tick_delay_seconds")),
    gauge("posthaste_store_failovers", &[], "PostgreSQL: how often the database has failed over. Messages may have been delivered whose transactions are gone.", |facts| figure(facts, "failovers")),
    gauge("posthaste_store_sequencer_delay_seconds", &[], "MongoDB, MySQL: age of the oldest message without a position.", |facts| figure(facts, "sequencer_delay_seconds")),
    gauge("posthaste_store_gaps", &[], "MySQL: numbers without a message below the newest position, each of which may still get one. Grows with rollbacks, shrinks with purges.", |facts| figure(facts, "gaps")),
    gauge("posthaste_store_oplog_window_seconds", &[], "MongoDB: how far back the oplog reaches. A relay that was away for longer polls once. Absent if its user may not read the database `local`.", |facts| figure(facts, "oplog_window_seconds")),
    gauge("posthaste_partitions", &[], "Partitions that this worker serves.", |facts| one(facts.snapshot.partitions as f64)),
    gauge("posthaste_in_flight", DESTINATION, "Messages that this worker has handed to the sink and that the sink has not answered yet.", |facts| seen(facts, |seen| seen.in_flight as f64)),
    gauge("posthaste_outage", DESTINATION, "1 while this worker cannot reach the destination.", |facts| seen(facts, |seen| f64::from(seen.outage.is_some()))),
    counter("posthaste_delivered_total", DESTINATION, "Messages that the sink confirmed to this worker.", |facts| seen(facts, |seen| seen.delivered as f64)),
    counter("posthaste_failed_total", DESTINATION, "Failed attempts of this worker; outages do not count.", |facts| seen(facts, |seen| seen.failed as f64)),
    counter("posthaste_dead_total", DESTINATION, "Deliveries that this worker declared dead.", |facts| seen(facts, |seen| seen.dead as f64)),
    histogram("posthaste_delivery_duration_seconds", DESTINATION, "How long the sink took for a hand-over.", deliveries),
    histogram("posthaste_commit_duration_seconds", &[], "How long the store took for a commit of cursors and parked deliveries.", |facts| vec![Sample { labels: Vec::new(), value: Value::Histogram(facts.tally.commits.clone()) }]),
    counter("posthaste_store_errors_total", &[], "Requests that the store answered with an error.", |facts| one(facts.tally.store_errors as f64)),
    counter("posthaste_recovered_leases_total", &[], "Partitions taken over from workers that died.", |facts| one(facts.tally.recovered_leases as f64)),
    counter("posthaste_lost_leases_total", &[], "Partitions that another worker took while this one still believed to hold them.", |facts| one(facts.tally.lost_leases as f64)),
    counter("posthaste_possible_duplicates_total", &["cause"], "Events after which a message may arrive twice: timeout, cancelled, refused_commit, took_over.", duplicates),
    gauge("posthaste_destination_active", DESTINATION, "1 for each destination that this worker serves.", |facts| seen(facts, |_| 1.0)),
    gauge("posthaste_overfull_lanes", DESTINATION, "Lanes that have stopped because too many of their keys are held, over all workers.", overfull),
    gauge("posthaste_source_behind_seconds", SOURCE, "How old the last event of the source was when it was read; 0 at the end of the log. Absent while nobody reads it.", |facts| sources(facts, |source| Some(source.report.as_ref().filter(|_| source.held)?.behind_ms? as f64 / 1_000.0))),
    gauge("posthaste_source_stopped", SOURCE, "1 while the source is paused, or has stopped at an event that nothing can be made of.", |facts| sources(facts, |source| Some(f64::from(source.paused || is_stopped(source))))),
    counter("posthaste_source_events_total", SOURCE, "Events of the source that were read, over all workers.", |facts| sources(facts, |source| Some(source.events as f64))),
    counter("posthaste_source_stored_total", SOURCE, "Messages that were made of the source's events and stored.", |facts| sources(facts, |source| Some(source.stored as f64))),
    counter("posthaste_source_duplicates_total", SOURCE, "Messages of the source that were stored before.", |facts| sources(facts, |source| Some(source.duplicates as f64))),
    counter("posthaste_source_refused_total", SOURCE, "Events of the source that nothing could be made of.", |facts| sources(facts, |source| Some(source.refused as f64))),
    gauge("posthaste_source_backlog", SOURCE, "Events that this worker has read and not stored yet.", backlog),
    gauge("posthaste_build_info", &["version"], "Always 1; the version is a label.", |_| vec![Sample { labels: vec![env!("CARGO_PKG_VERSION").into()], value: Value::Number(1.0) }]),
];

type Read = fn(&Facts<'_>) -> Vec<Sample>;
type Labels = &'static [&'static str];

const fn gauge(name: &'static str, labels: Labels, help: &'static str, read: Read) -> Metric {
    Metric { name, kind: Kind::Gauge, labels, help, read }
}

const fn counter(name: &'static str, labels: Labels, help: &'static str, read: Read) -> Metric {
    Metric { name, kind: Kind::Counter, labels, help, read }
}

const fn histogram(name: &'static str, labels: Labels, help: &'static str, read: Read) -> Metric {
    Metric { name, kind: Kind::Histogram, labels, help, read }
}

fn one(value: f64) -> Vec<Sample> {
    vec![Sample { labels: Vec::new(), value: Value::Number(value) }]
}

fn all(facts: &Facts<'_>, value: fn(&Overview) -> f64) -> Vec<Sample> {
    facts.overview.map(|overview| one(value(overview))).unwrap_or_default()
}

fn labelled<const N: usize>(labels: [&str; N], value: f64) -> Sample {
    Sample { labels: labels.map(str::to_owned).into(), value: Value::Number(value) }
}

/// For each destination as the store knows it.
fn each(facts: &Facts<'_>, value: fn(&DestinationCounts) -> f64) -> Vec<Sample> {
    let destinations = facts.overview.iter().flat_map(|overview| &overview.destinations);
    destinations.map(|counts| labelled([&counts.destination], value(counts))).collect()
}

/// For each destination as this worker sees it.
fn seen(facts: &Facts<'_>, value: fn(&DestinationSnapshot) -> f64) -> Vec<Sample> {
    facts.snapshot.destinations.iter().map(|seen| labelled([&seen.name], value(seen))).collect()
}

/// For each source as the store knows it, where there is something to say.
fn sources(facts: &Facts<'_>, value: fn(&SourceStatus) -> Option<f64>) -> Vec<Sample> {
    let sources = facts.overview.iter().flat_map(|overview| &overview.sources);
    sources.filter_map(|source| Some(labelled([&source.name], value(source)?))).collect()
}

fn is_stopped(source: &SourceStatus) -> bool {
    source.report.as_ref().is_some_and(|report| report.state == SourceState::Stopped)
}

fn backlog(facts: &Facts<'_>) -> Vec<Sample> {
    facts.tally.sources.iter().map(|(name, figures)| labelled([name], figures.backlog as f64)).collect()
}

fn parked(facts: &Facts<'_>) -> Vec<Sample> {
    let of = |counts: &DestinationCounts| {
        let by_reason = [
            ("retrying", counts.retrying),
            ("scheduled", counts.scheduled),
            ("throttled", counts.throttled),
            ("paused", counts.paused_deliveries),
            ("awaiting", counts.awaiting),
            ("replay", counts.replay),
            ("dead", counts.dead),
        ];
        by_reason.map(|(reason, count)| labelled([&counts.destination, reason], count as f64))
    };
    facts.overview.iter().flat_map(|overview| &overview.destinations).flat_map(of).collect()
}

fn overfull(facts: &Facts<'_>) -> Vec<Sample> {
    let Some(overview) = facts.overview else { return Vec::new() };
    let lanes = |counts| crate::health::reports(overview, counts).map(|report| report.overfull_lanes).sum::<usize>();
    overview.destinations.iter().map(|counts| labelled([&counts.destination], lanes(counts) as f64)).collect()
}

fn deliveries(facts: &Facts<'_>) -> Vec<Sample> {
    let histogram = |n: usize| facts.tally.deliveries.get(n).cloned().unwrap_or_default();
    let names = facts.snapshot.destinations.iter().map(|seen| seen.name.clone()).enumerate();
    names.map(|(n, name)| Sample { labels: vec![name], value: Value::Histogram(histogram(n)) }).collect()
}

fn duplicates(facts: &Facts<'_>) -> Vec<Sample> {
    let possible = facts.tally.possible_duplicates;
    let by_cause = [
        ("timeout", possible.timeout),
        ("cancelled", possible.cancelled),
        ("refused_commit", possible.refused_commit),
        ("took_over", possible.took_over),
    ];
    by_cause.map(|(cause, count)| labelled([cause], count as f64)).into()
}

/// A figure that only some stores have.
fn figure(facts: &Facts<'_>, name: &str) -> Vec<Sample> {
    let figures = facts.overview.iter().flat_map(|overview| &overview.figures);
    figures.filter(|figure| figure.name == name).map(|figure| labelled([], figure.value)).collect()
}
