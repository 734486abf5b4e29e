//! Three relays on one journal: one is killed, one is frozen past its leases and wakes up again, one lives on.

use std::collections::HashSet;

use crate::application::{Application, World};
use crate::lives::{self, Printed};
use crate::processes::{assert_no_repeats, partitions_of, worker};
use crate::program::{Place, until};

/// Two for each worker.
pub const PARTITIONS: u64 = 6;
/// What a worker may have in its hands: so many runs of so many messages.
const IN_FLIGHT: usize = 4 * 3;
/// So much that the workers are still busy when the test has seen their first lines.
const BACKLOG: usize = 600;

/// A folder for relays on a new journal in this store.
pub fn place_on(store: &str) -> Place {
    let place = Place::empty();
    let config = format!(
        "store = {store}\n\
         relay = {{ lease_ttl = '2s', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
         destinations.out = {{ type = 'stdout', max_in_flight = 4, max_run = 3 }}\n"
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

pub fn one_is_killed_and_one_frozen_past_its_leases(place: Place, application: impl Application) {
    let mut world = World::new(place, application);
    let [one, two, three] = ["one", "two", "three"].map(|name| worker(&world.place, name));
    until("the partitions are shared", || is_shared_by(&world.place, &["one", "two", "three"]));
    world.write(BACKLOG);
    for life in [&one, &two, &three] {
        life.prints_lines(10);
    }
    let recorded = lives::recorded(&world.place);
    let printed = [&one, &two, &three].map(|life| (life, life.printed().len()));
    world.write(BACKLOG);
    for (life, before) in printed {
        life.prints_lines(before + 10);
    }
    two.relay.signal("STOP");
    let by_one = one.kill();
    world.write(100);
    until("the third one has delivered the rest", || {
        // Each time anew: the signal has not reached every thread when it is sent.
        lives::has_all(&world.written, by_one.iter().chain(&two.printed()).chain(&three.printed()))
    });
    until("the third one has recorded the rest", || lives::recorded(&world.place).len() == world.written.len());
    let (by_two, by_three) = (two.printed(), three.printed());
    lives::assert_first_deliveries_in_order(by_one.iter().chain(&by_two).chain(&by_three));
    assert_repeats_explained(&[&by_one, &by_two], &by_three, &recorded);

    two.relay.signal("CONT");
    until("it knows that its leases are gone", || two.relay.logged().contains("leases lost"));
    until("it has its share again", || is_shared_by(&world.place, &["two", "three"]));
    world.write(100);
    until("everything is delivered", || {
        lives::has_all(&world.written, by_one.iter().chain(&two.printed()).chain(&three.printed()))
    });
    until("everything is recorded", || lives::recorded(&world.place).len() == world.written.len());
    let (two, three) = (two.stop(), three.stop());
    // It may still finish the line it was frozen in; the other one is not made to repeat anything by it.
    assert_no_repeats(&three);
    assert!(repeats(&[&by_one, &by_two, &by_three], &two[by_two.len()..]).len() <= IN_FLIGHT);
    let later = &three[by_three.len()..];
    lives::assert_first_deliveries_in_order(by_one.iter().chain(&by_two).chain(&by_three).chain(later).chain(&two));
    lives::assert_all_well(&world.place, &world.written);
}

/// What those before had printed as well.
fn repeats<'a>(before: &[&[Printed]], after: &'a [Printed]) -> Vec<&'a Printed> {
    let before: HashSet<&str> = before.iter().copied().flatten().map(|line| line.id.as_str()).collect();
    after.iter().filter(|line| before.contains(line.id.as_str())).collect()
}

/// Whoever takes over repeats only what the others had not recorded when they ended, and each of it once.
#[track_caller]
fn assert_repeats_explained(before: &[&[Printed]], after: &[Printed], recorded: &HashSet<String>) {
    assert_no_repeats(after);
    before.iter().for_each(|printed| assert_no_repeats(printed));
    let unexplained = repeats(before, after).into_iter().find(|line| recorded.contains(&line.id));
    assert!(unexplained.is_none(), "it was recorded: {unexplained:?}");
}

fn is_shared_by(place: &Place, workers: &[&str]) -> bool {
    let share = PARTITIONS / workers.len() as u64;
    workers.iter().all(|worker| partitions_of(place, worker) == share)
}
