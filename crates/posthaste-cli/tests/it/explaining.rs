//! `explain` names the true blocker, situation by situation, on a real journal.

use std::time::Duration;

use posthaste::journal::{DestinationReport, ParkedState, WorkerReport};

use crate::program::Place;
use crate::scene::Worker;

fn cause(place: &Place, id: &str) -> String {
    place.json(["explain", id])["explanations"][0]["cause"].as_str().unwrap_or_default().to_owned()
}

fn reporting(outage: Option<&str>, overfull_lanes: usize) -> WorkerReport {
    let report = DestinationReport {
        name: "crm".into(),
        outage: outage.map(Into::into),
        overfull_lanes,
        ..DestinationReport::default()
    };
    WorkerReport { destinations: vec![report] }
}

#[test]
fn a_message_that_nobody_has_looked_at_is_without_a_route() {
    let place = Place::migrated();
    assert_eq!(cause(&place, &place.enqueue("order/1", [])), "no_route");
    Worker::at(&place);
    assert_eq!(cause(&place, &place.enqueue("order/1", ["--to", "elsewhere"])), "no_route");
}

#[test]
fn what_stands_before_a_pending_message_is_named_and_the_nearest_to_a_person_first() {
    let place = Place::migrated();
    let id = place.enqueue("order/1", []);
    let worker = Worker::at(&place);
    assert_eq!(cause(&place, &id), "in_line");
    worker.report(&reporting(None, 3));
    assert_eq!(cause(&place, &id), "too_many_held_keys");
    worker.report(&reporting(Some("connection refused"), 3));
    assert_eq!(cause(&place, &id), "outage");
    place.run(["pause", "crm"]).succeeds();
    assert_eq!(cause(&place, &id), "paused");
    place.run(["resume", "crm"]).succeeds();
    worker.report(&reporting(None, 0));
    worker.die();
    crate::program::until("its lease has run out", || cause(&place, &id) == "lease_expired");
    worker.leave();
    assert_eq!(cause(&place, &id), "no_worker");
}

#[test]
fn a_failed_message_and_those_behind_it_are_told_apart() {
    let place = Place::migrated();
    let (head, behind, other) =
        (place.enqueue("order/1", []), place.enqueue("order/1", []), place.enqueue("order/2", []));
    let worker = Worker::at(&place);
    worker.fail("order/1", ParkedState::Retrying, Some(Duration::from_secs(3_600)));
    let causes = |ids: [&str; 3]| ids.map(|id| cause(&place, id));
    assert_eq!(causes([&head, &behind, &other]), ["retrying", "waiting_behind", "delivered"]);
    worker.fail("order/1", ParkedState::Dead, None);
    assert_eq!(causes([&head, &behind, &other]), ["dead", "waiting_behind", "delivered"]);
    place.run(["replay", &other, "--yes"]).succeeds();
    assert_eq!(cause(&place, &other), "replay");
    place.run(["discard", &head, "--yes"]).succeeds();
    assert_eq!(cause(&place, &head), "discarded");
}

#[test]
fn a_message_whose_time_or_turn_has_not_come_says_so() {
    let place = Place::migrated();
    place.enqueue("order/1", []);
    let id = place.enqueue("order/2", []);
    let worker = Worker::at(&place);
    for (state, expected) in
        [(ParkedState::Scheduled, "scheduled"), (ParkedState::Throttled, "throttled"), (ParkedState::Paused, "paused")]
    {
        worker.fail("order/2", state, Some(Duration::from_secs(3_600)));
        assert_eq!(cause(&place, &id), expected);
    }
}
