//! The relay aborts where it hurts most.

use super::Chronicle;
use crate::lives::{Life, place_with_lease};
use crate::orders::Orders;
use crate::program::until;

pub(super) const SIGABRT: i32 = 6;

/// The process dies when it passes this place for the n-th time; a second one takes up its work.
fn die_at(place_name: &str, nth: u32, provoke: fn(&Life)) {
    let place = place_with_lease("1s");
    let mut orders = Orders::at(&place);
    orders.write(150);
    let mut chronicle = Chronicle::default();
    let mut life = Life::begin(&place, [("POSTHASTE_CRASH_POINT", format!("{place_name}:{nth}").as_str())]);
    provoke(&life);
    // While commits are slow, few of them record everything: there has to be more.
    until("the relay is dead", || {
        orders.write(10);
        life.relay.has_ended()
    });
    chronicle.add(&place, life.dies_of(SIGABRT));
    chronicle.finish(&place, &mut orders);
}

/// Several deaths side by side, because each takes a lease to expire.
fn die_at_each(place_name: &str, nths: &[u32]) {
    std::thread::scope(|scope| {
        for &nth in nths {
            scope.spawn(move || die_at(place_name, nth, |_| {}));
        }
    });
}

#[test]
fn a_death_between_delivery_and_record_repeats_only_what_was_not_recorded() {
    die_at_each("after_delivery", &[1, 2, 3, 5]);
}

#[test]
fn a_death_just_before_a_commit_loses_nothing() {
    die_at_each("before_commit", &[1, 2, 5]);
}

#[test]
fn a_death_just_after_a_commit_repeats_nothing_of_it() {
    die_at_each("after_commit", &[1, 2, 5]);
}

#[test]
fn leases_of_a_worker_that_died_with_them_are_taken_over() {
    die_at_each("after_lease", &[1, 2]);
}

#[test]
fn a_death_during_a_graceful_stop_loses_nothing() {
    die_at("before_release", 1, |life| {
        life.prints_lines(20);
        life.relay.signal("TERM");
    });
}
