//! The catalog against its document, the dashboard and the alerts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use posthaste::inspect::{DestinationCounts, Figure, Overview, SourceStatus};
use posthaste::journal::SourceReport;
use posthaste::relay::{DestinationSnapshot, Histogram, Snapshot, SourceFigures, Tally};

use super::catalog::{Facts, Kind, METRICS};
use super::exposition;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document() -> String {
    let mut text = String::from(
        "# Metrics\n\nWhat `/metrics` says, in Prometheus' text format. No key, tenant or message id is ever a label. This table is made from \
         the code by\n`POSTHASTE_WRITE_DOCS=1 cargo test -p posthaste-cli --features http metrics`; a test compares it.\n\n\
         | metric | type | labels | meaning |\n|---|---|---|---|\n",
    );
    for metric in &METRICS {
        let kind = format!("{:?}", metric.kind).to_lowercase();
        let labels = metric.labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("| `{}` | {kind} | {labels} | {} |\n", metric.name, metric.help));
    }
    let bounds = Histogram::BOUNDS_SECONDS.map(|bound| bound.to_string()).join(", ");
    text.push_str(&format!(
        "\nHistograms have buckets up to {bounds} seconds. Counters and what \"this worker\" says start anew with the process, and \
         counters of\ndestinations also when the config is read again. Figures of the store are at most one second old; while it does not \
         answer they are\nabsent, and `posthaste_store_up` is 0.\n"
    ));
    text
}

#[test]
fn the_reference_says_what_the_code_does() {
    let path = repository().join("docs/reference/metrics.md");
    if std::env::var_os("POSTHASTE_WRITE_DOCS").is_some() {
        std::fs::write(&path, document()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == document(),
        "docs/reference/metrics.md is out of date: its second paragraph says how to write it"
    );
}

#[test]
fn dashboard_and_alerts_name_only_metrics_that_exist() {
    let known: BTreeSet<String> = METRICS
        .iter()
        .flat_map(|metric| match metric.kind {
            Kind::Histogram => ["_bucket", "_sum", "_count"].map(|suffix| format!("{}{suffix}", metric.name)).to_vec(),
            _ => vec![metric.name.to_owned()],
        })
        .collect();
    for file in ["deploy/grafana/posthaste.json", "deploy/prometheus/alerts.yaml"] {
        let text = std::fs::read_to_string(repository().join(file)).unwrap();
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let named: BTreeSet<&str> = words.filter(|word| word.starts_with("posthaste_")).collect();
        assert!(named.len() >= 8, "{file} watches only {named:?}");
        for name in named {
            assert!(known.contains(name), "{file} names {name}, which does not exist");
        }
    }
}

#[test]
fn names_are_unique_and_end_with_their_unit() {
    let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), METRICS.len());
    for metric in &METRICS {
        assert_eq!(metric.name.ends_with("_total"), metric.kind == Kind::Counter, "{}", metric.name);
        assert!(metric.kind != Kind::Histogram || metric.name.ends_with("_seconds"), "{}", metric.name);
        assert!(
            !metric.labels.iter().any(|label| ["key", "tenant", "message", "id"].contains(label)),
            "{}",
            metric.name
        );
    }
}

fn source() -> SourceStatus {
    let report = SourceReport { behind_ms: Some(1_500), ..SourceReport::default() };
    SourceStatus { name: "payments".into(), held: true, report: Some(report), ..SourceStatus::default() }
}

#[test]
fn every_metric_can_be_scraped() {
    let overview = Overview {
        destinations: vec![DestinationCounts { destination: "say \"hi\"\\".into(), pending: 3, ..Default::default() }],
        figures: [
            "wal_bytes",
            "oldest_transaction_seconds",
            "tick_delay_seconds",
            "failovers",
            "sequencer_delay_seconds",
            "gaps",
            "oplog_window_seconds",
        ]
        .map(|name| Figure { name, value: 1.5 })
        .into(),
        sources: vec![source()],
        ..Overview::default()
    };
    let seen = DestinationSnapshot { name: "crm".into(), delivered: 7, ..Default::default() };
    let snapshot = Snapshot { partitions: 64, destinations: vec![seen] };
    let mut tally = Tally::default();
    tally.commits.observe(std::time::Duration::from_millis(2));
    tally.sources.insert("payments".into(), SourceFigures { backlog: 3, ..SourceFigures::default() });
    let facts = Facts { overview: Some(&overview), snapshot: &snapshot, tally: &tally };
    let mut text = String::new();
    METRICS.iter().for_each(|metric| exposition::write(metric, &facts, &mut text));
    for metric in &METRICS {
        assert!(text.contains(&format!("# TYPE {} ", metric.name)), "{} is missing", metric.name);
    }
    for line in [
        "posthaste_pending{destination=\"say \\\"hi\\\"\\\\\"} 3",
        "posthaste_delivered_total{destination=\"crm\"} 7",
        "posthaste_commit_duration_seconds_bucket{le=\"0.0025\"} 1",
        "posthaste_commit_duration_seconds_bucket{le=\"+Inf\"} 1",
        "posthaste_commit_duration_seconds_sum 0.002",
        "posthaste_possible_duplicates_total{cause=\"timeout\"} 0",
        "posthaste_store_wal_bytes 1.5",
        "posthaste_source_behind_seconds{source=\"payments\"} 1.5",
        "posthaste_source_backlog{source=\"payments\"} 3",
    ] {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
}
