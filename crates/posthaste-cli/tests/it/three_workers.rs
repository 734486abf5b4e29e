//! Three relays on one journal: one is killed, one is frozen past its leases and wakes up again, one lives on.

use posthaste::Message;

use crate::lives;
use crate::orders::{Written, event};
use crate::processes::{assert_no_repeats, partitions_of, worker};
use crate::program::{Place, until};

/// Two for each worker.
pub const PARTITIONS: u64 = 6;
const PER_TRANSACTION: usize = 10;
/// So much that the workers are still busy when the test has seen their first lines.
const BACKLOG: usize = 600;

/// Writes to a journal of its own, which is gone when the test is.
pub trait Application {
    /// In one transaction.
    fn commit(&mut self, messages: &[Message]);
}

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
    let mut world = World { place, application, written: Vec::new() };
    let [one, two, three] = ["one", "two", "three"].map(|name| worker(&world.place, name));
    until("the partitions are shared", || world.is_shared_by(&["one", "two", "three"]));
    world.write(BACKLOG);
    for life in [&one, &two, &three] {
        life.prints_lines(10);
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

    two.relay.signal("CONT");
    until("it knows that its leases are gone", || two.relay.logged().contains("lease lost"));
    until("it has its share again", || world.is_shared_by(&["two", "three"]));
    world.write(100);
    until("everything is delivered", || {
        lives::has_all(&world.written, by_one.iter().chain(&two.printed()).chain(&three.printed()))
    });
    let (two, three) = (two.stop(), three.stop());
    // It may still finish the line it was frozen in; the other one is not made to repeat anything by it.
    assert_no_repeats(&three);
    let later = &three[by_three.len()..];
    lives::assert_first_deliveries_in_order(by_one.iter().chain(&by_two).chain(&by_three).chain(later).chain(&two));
    lives::assert_all_well(&world.place, &world.written);
}

struct World<A> {
    place: Place,
    application: A,
    written: Vec<Written>,
}

impl<A: Application> World<A> {
    /// Commits so many further events, to the orders in turn.
    fn write(&mut self, count: usize) {
        let all: Vec<usize> = (self.written.len()..self.written.len() + count).collect();
        for batch in all.chunks(PER_TRANSACTION) {
            let (messages, written): (Vec<Message>, Vec<Written>) = batch.iter().map(|index| event(*index)).unzip();
            self.application.commit(&messages);
            self.written.extend(written);
        }
    }

    fn is_shared_by(&self, workers: &[&str]) -> bool {
        let share = PARTITIONS / workers.len() as u64;
        workers.iter().all(|worker| partitions_of(&self.place, worker) == share)
    }
}
