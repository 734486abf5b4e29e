//! Several relays on one file: they share the partitions, take over from each other, and never get in each other's way.

use std::collections::HashSet;

use crate::lives::{self, Life, PARTITIONS, Printed, place_with_lease};
use crate::orders::Orders;
use crate::program::{Place, until};

/// Too long for a test to see it expire: whatever changes hands was given.
const ENDLESS: &str = "1h";
/// Short enough to wait for.
const BRIEF: &str = "2s";
/// So much that a worker is still busy when the test has seen its first lines.
const BACKLOG: usize = 600;

pub fn worker(place: &Place, name: &str) -> Life {
    Life::begin(place, [("POSTHASTE_RELAY__WORKER", name)])
}

pub fn partitions_of(place: &Place, worker: &str) -> u64 {
    let status = place.json(["status"]);
    let workers = status["workers"].as_array().unwrap().iter();
    workers.filter(|other| other["worker"] == worker).map(|other| other["partitions"].as_u64().unwrap()).sum()
}

fn is_shared(place: &Place) -> bool {
    partitions_of(place, "one") == PARTITIONS / 2 && partitions_of(place, "two") == PARTITIONS / 2
}

/// Two workers, each with its half.
fn two_workers(place: &Place) -> (Life, Life) {
    let (one, two) = (worker(place, "one"), worker(place, "two"));
    until("the partitions are shared", || is_shared(place));
    (one, two)
}

#[track_caller]
pub fn assert_no_repeats(printed: &[Printed]) {
    let mut seen = HashSet::new();
    let repeated = printed.iter().find(|line| !seen.insert(&line.id));
    assert!(repeated.is_none(), "{repeated:?}");
}

#[test]
fn a_second_worker_gets_its_share_in_the_middle_of_the_work_and_nothing_is_delivered_by_both() {
    let place = place_with_lease(ENDLESS);
    let mut orders = Orders::at(&place);
    let one = worker(&place, "one");
    orders.write(50);
    one.prints_lines(10);
    let two = worker(&place, "two");
    until("the partitions are shared", || {
        orders.write(20);
        is_shared(&place)
    });
    let shared_at = (one.printed().len(), two.printed().len());
    orders.write(120);
    until("everything is delivered", || lives::has_all(&orders.written, one.printed().iter().chain(&two.printed())));
    let (one, two) = (one.stop(), two.stop());
    assert!(one.len() > shared_at.0 && two.len() > shared_at.1, "both had their share of the work");
    // A key that changed hands went from the first worker to the second one.
    let both = [one, two].concat();
    assert_no_repeats(&both);
    lives::assert_first_deliveries_in_order(&both);
    lives::assert_all_well(&place, &orders.written);
}

#[test]
fn a_worker_takes_over_from_one_that_was_killed() {
    let place = place_with_lease(BRIEF);
    let mut orders = Orders::at(&place);
    let (one, two) = two_workers(&place);
    orders.write(BACKLOG);
    one.prints_lines(20);
    let killed = one.kill();
    orders.write(100);
    until("everything is delivered", || lives::has_all(&orders.written, killed.iter().chain(&two.printed())));
    until("everything is recorded", || lives::recorded(&place).len() == orders.written.len());
    lives::assert_first_deliveries_in_order(&[killed, two.stop()].concat());
    lives::assert_all_well(&place, &orders.written);
}

#[test]
fn a_worker_that_is_told_to_stop_hands_over_at_once_and_spends_no_attempt() {
    let place = place_with_lease(ENDLESS);
    let mut orders = Orders::at(&place);
    let (one, two) = two_workers(&place);
    orders.write(BACKLOG);
    one.prints_lines(20);
    let stopped = one.stop();
    orders.write(100);
    until("everything is delivered", || lives::has_all(&orders.written, stopped.iter().chain(&two.printed())));
    assert_eq!(partitions_of(&place, "two"), PARTITIONS);
    let both = [stopped, two.stop()].concat();
    assert_no_repeats(&both);
    lives::assert_first_deliveries_in_order(&both);
    lives::assert_all_well(&place, &orders.written);
}

/// A process that is stopped while it writes to SQLite keeps everybody out, so try again until it does not.
fn freeze(life: &Life, orders: &mut Orders) {
    until("it stands still outside a transaction", || {
        life.relay.signal("STOP");
        let outside = orders.can_write();
        if !outside {
            life.relay.signal("CONT");
        }
        outside
    });
}

#[test]
fn a_worker_that_was_frozen_past_its_lease_changes_nothing_when_it_wakes() {
    let place = place_with_lease(BRIEF);
    let mut orders = Orders::at(&place);
    let (one, two) = two_workers(&place);
    orders.write(BACKLOG);
    one.prints_lines(20);
    freeze(&one, &mut orders);
    let by_one = one.printed();
    orders.write(50);
    until("the other one has delivered the rest", || {
        lives::has_all(&orders.written, by_one.iter().chain(&two.printed()))
    });
    until("the other one has recorded the rest", || lives::recorded(&place).len() == orders.written.len());
    let by_two = two.printed();
    lives::assert_first_deliveries_in_order(by_one.iter().chain(&by_two));

    one.relay.signal("CONT");
    until("it knows that its leases are gone", || one.relay.logged().contains("leases lost"));
    until("it has its share again", || is_shared(&place));
    orders.write(100);
    until("everything is delivered", || lives::has_all(&orders.written, one.printed().iter().chain(&two.printed())));
    until("everything is recorded", || lives::recorded(&place).len() == orders.written.len());
    let (one, two) = (one.stop(), two.stop());
    // It may still finish the line it was frozen in; the other one is not made to repeat anything by it.
    assert_no_repeats(&two);
    lives::assert_first_deliveries_in_order(by_one.iter().chain(&by_two).chain(&two[by_two.len()..]).chain(&one));
    lives::assert_all_well(&place, &orders.written);
}
