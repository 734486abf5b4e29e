//! `sources`, and what `status` says of them.

use std::time::Duration;

use posthaste::journal::{Ingest, Journal, SourceReport, SourceState, Tally, WorkerId};
use posthaste::source::Checkpoint;
use posthaste::stores::sqlite::{Options, Sqlite};
use serde_json::Value;

use crate::program::Place;

/// A source that a worker reads, at 537/537, and that has stopped there.
fn with_a_source() -> Place {
    let place = Place::migrated();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let journal = Sqlite::open(place.path("posthaste.db"), Options::default()).unwrap();
    runtime.block_on(async {
        let (worker, source, ttl) = (WorkerId("host-1".into()), "payments".into(), Duration::from_secs(600));
        let grant = journal.lease_source(&worker, &source, ttl, None, &SourceReport::default()).await.unwrap();
        let epoch = grant.lease.unwrap().epoch;
        let ingest = Ingest {
            source: source.clone(),
            worker: worker.clone(),
            epoch,
            messages: Vec::new(),
            checkpoint: Checkpoint::new("537/537").unwrap(),
            tally: Tally { events: 1_234, ignored: 34, refused: 0 },
            last_event: Some("payment-7/e-1".into()),
            marking: None,
        };
        journal.ingest(&ingest).await.unwrap().unwrap();
        let error = Some("event e-2 of stream payment-7: no amount".into());
        let report = SourceReport { state: SourceState::Stopped, error, ..SourceReport::default() };
        journal.lease_source(&worker, &source, ttl, Some(epoch), &report).await.unwrap();
    });
    place
}

fn source(place: &Place) -> Value {
    place.json(["sources", "show", "payments"])
}

#[test]
fn a_store_without_sources_says_how_to_have_one() {
    let answer = Place::migrated().run(["sources"]).succeeds();
    assert!(answer.stdout.contains("[sources.NAME]"), "{}", answer.stdout);
}

#[test]
fn a_source_is_listed_and_one_that_has_stopped_needs_a_person() {
    let place = with_a_source();
    let listed = place.run(["sources"]).succeeds().stdout;
    assert!(listed.contains("payments") && listed.contains("stopped") && listed.contains("537/537"), "{listed}");
    let shown = place.run(["sources", "show", "payments"]).succeeds().stdout;
    assert!(shown.contains("payment-7/e-1") && shown.contains("no amount"), "{shown}");
    assert_eq!((&source(&place)["events"], &source(&place)["held"]), (&1234.into(), &true.into()));
    let status = place.run(["status"]).ends_with(1).stdout;
    assert!(status.contains("the source payments has stopped"), "{status}");
    assert!(status.contains("sources resume payments"), "{status}");
    let wrong = place.run(["sources", "show", "orders"]).ends_with(2).stderr;
    assert!(wrong.contains("the store knows payments"), "{wrong}");
}

#[test]
fn a_source_is_paused_resumed_and_rewound_and_the_audit_log_knows() {
    let place = with_a_source();
    place.run(["sources", "pause", "payments"]).succeeds();
    assert_eq!((&source(&place)["paused"], &source(&place)["held"]), (&true.into(), &false.into()));
    assert_eq!(place.json(["sources", "pause", "payments"])["changed"], false);
    place.run(["sources", "resume", "payments"]).succeeds();
    assert_eq!(source(&place)["paused"], false);

    let answer = place.run(["sources", "rewind", "payments", "--to", "beginning"]).succeeds();
    assert!(answer.stdout.contains("537/537") && answer.stderr.contains("--yes"), "{}", answer.stdout);
    assert_eq!(source(&place)["checkpoint"], "537/537");
    place.run(["sources", "rewind", "payments", "--to", "beginning", "--yes"]).succeeds();
    assert_eq!(source(&place)["checkpoint"], Value::Null);
    let audit = place.run(["audit"]).succeeds().stdout;
    assert!(audit.contains("rewind source") && audit.contains("payments to the beginning"), "{audit}");
}
