//! The real program on a real MongoDB: every command, and three relays of which one is killed and one frozen past its leases.

use std::path::Path;

use posthaste::Message;
use posthaste::stores::mongodb::{MongoDb, Options};

use crate::lives::{self, Life};
use crate::orders::{Written, event};
use crate::processes::{assert_no_repeats, partitions_of, worker};
use crate::program::{Place, until};

/// Two for each worker.
const PARTITIONS: u64 = 6;
const PER_TRANSACTION: usize = 10;
/// So much that the workers are still busy when the test has seen their first lines.
const BACKLOG: usize = 600;

/// An application and a folder for relays, on a database of their own that is gone when the test is.
struct World {
    place: Place,
    runtime: tokio::runtime::Runtime,
    store: MongoDb,
    client: mongodb::Client,
    database: String,
    written: Vec<Written>,
}

impl World {
    fn new() -> Self {
        let address = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/mongodb/address");
        let address = std::fs::read_to_string(address).expect("no mongodb: cargo xtask services up mongodb");
        let database = format!("posthaste_cli_{}", uuid::Uuid::now_v7().simple());
        let url = format!("mongodb://{}/{database}?replicaSet=rs0", address.trim());
        let place = Place::empty();
        let config = format!(
            "store = {{ type = 'mongodb', url = '{url}', partitions = {PARTITIONS} }}\n\
             relay = {{ lease_ttl = '2s', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
             destinations.out = {{ type = 'stdout', max_in_flight = 4, max_run = 3 }}\n"
        );
        place.write("posthaste.toml", &config);
        place.run(["migrate"]).succeeds();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let store = runtime.block_on(MongoDb::connect(&url, Options::default())).unwrap();
        let client = runtime.block_on(mongodb::Client::with_uri_str(&url)).unwrap();
        Self { place, runtime, store, client, database, written: Vec::new() }
    }

    /// Commits so many further events, to the orders in turn.
    fn write(&mut self, count: usize) {
        let all: Vec<usize> = (self.written.len()..self.written.len() + count).collect();
        for batch in all.chunks(PER_TRANSACTION) {
            let (messages, written): (Vec<Message>, Vec<Written>) = batch.iter().map(|index| event(*index)).unzip();
            self.runtime.block_on(self.store.write(&messages)).unwrap();
            self.written.extend(written);
        }
    }

    fn is_shared_by(&self, workers: &[&str]) -> bool {
        let share = PARTITIONS / workers.len() as u64;
        workers.iter().all(|worker| partitions_of(&self.place, worker) == share)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A leftover database is a nuisance, not a failure.
        let _ = self.runtime.block_on(async { self.client.database(&self.database).drop().await });
    }
}

#[test]
fn every_command_works_on_it() {
    let world = World::new();
    let place = &world.place;
    place.run(["check"]).succeeds();
    let id = place.enqueue("order/1", ["--payload", "{\"number\":0}"]);
    let life = Life::begin(place, []);
    life.prints_lines(1);
    let status = |id: &str| place.json(["show", id])["deliveries"][0]["status"].clone();
    until("it is recorded", || status(&id) == "delivered");
    assert_eq!(place.run(["list", "--json"]).succeeds().json_lines().len(), 1);
    place.run(["history", "order/1"]).succeeds();
    assert_eq!(place.json(["explain", &id])["findings"][0]["cause"], "delivered");
    assert_eq!(place.json(["replay", &id, "--yes"])["affected"], 1);
    life.prints_lines(2);
    until("it is recorded again", || status(&id) == "delivered");

    place.run(["pause", "out"]).succeeds();
    let later = place.enqueue("order/2", ["--payload", "{\"number\":0}", "--due-at", "2099-01-01"]);
    place.run(["resume", "out"]).succeeds();
    until("it is set aside", || status(&later) == "scheduled");
    assert_eq!(place.json(["discard", &later, "--yes"])["affected"], 1);
    assert_eq!(place.json(["explain", &later])["findings"][0]["cause"], "discarded");

    until("everything is settled and removed", || {
        place.run(["purge", "--older-than", "0s", "--yes"]).succeeds();
        place.json(["status"])["messages"] == 0
    });
    life.stop();
    assert!(place.run(["audit", "--json"]).succeeds().json_lines().len() >= 5, "whoever changed something is known");
}

#[test]
fn of_three_workers_one_is_killed_and_one_frozen_past_its_leases_and_nothing_is_settled_by_a_stranger() {
    let mut world = World::new();
    let [one, two, three] = ["one", "two", "three"].map(|name| worker(&world.place, name));
    until("the partitions are shared", || world.is_shared_by(&["one", "two", "three"]));
    world.write(BACKLOG);
    for life in [&one, &two, &three] {
        life.prints_lines(10);
    }
    two.relay.signal("STOP");
    let by_two = two.printed();
    let by_one = one.kill();
    world.write(100);
    until("the third one has delivered the rest", || {
        lives::has_all(&world.written, by_one.iter().chain(&by_two).chain(&three.printed()))
    });
    until("the third one has recorded the rest", || lives::recorded(&world.place).len() == world.written.len());
    let by_three = three.printed();
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
