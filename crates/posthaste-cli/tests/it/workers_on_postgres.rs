//! Three relays on one PostgreSQL: one is killed, one is frozen past its leases and wakes up again, one lives on.

use std::path::Path;

use posthaste::Message;
use posthaste::stores::postgres::Outbox;
use tokio_postgres::{Client, NoTls};

use crate::lives;
use crate::orders::{Written, event};
use crate::processes::{assert_no_repeats, partitions_of, worker};
use crate::program::{Place, until};

/// Two for each worker.
const PARTITIONS: u64 = 6;
const PER_TRANSACTION: usize = 10;
/// So much that the workers are still busy when the test has seen their first lines.
const BACKLOG: usize = 600;

/// An application and a folder for relays, on a journal of their own that is gone when the test is.
struct World {
    place: Place,
    runtime: tokio::runtime::Runtime,
    client: Client,
    schema: String,
    written: Vec<Written>,
}

impl World {
    fn new() -> Self {
        let address = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/postgres/address");
        let address = std::fs::read_to_string(address).expect("no postgres: cargo xtask services up postgres");
        let url = format!("postgres://postgres@{}/postgres", address.trim());
        let schema = format!("it_{}", uuid::Uuid::now_v7().simple());
        let place = Place::empty();
        let config = format!(
            "store = {{ type = 'postgres', url = '{url}', partitions = {PARTITIONS}, postgres = {{ schema = '{schema}' }} }}\n\
             relay = {{ lease_ttl = '2s', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
             destinations.out = {{ type = 'stdout', max_in_flight = 4, max_run = 3 }}\n"
        );
        place.write("posthaste.toml", &config);
        place.run(["migrate"]).succeeds();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (client, connection) = runtime.block_on(tokio_postgres::connect(&url, NoTls)).unwrap();
        runtime.spawn(connection);
        Self { place, runtime, client, schema, written: Vec::new() }
    }

    /// Commits so many further events, to the orders in turn.
    fn write(&mut self, count: usize) {
        let outbox = Outbox::in_schema(&self.schema);
        let all: Vec<usize> = (self.written.len()..self.written.len() + count).collect();
        for batch in all.chunks(PER_TRANSACTION) {
            let (messages, written): (Vec<Message>, Vec<Written>) = batch.iter().map(|index| event(*index)).unzip();
            self.runtime.block_on(async {
                let transaction = self.client.transaction().await.unwrap();
                outbox.enqueue(&transaction, &messages).await.unwrap();
                transaction.commit().await.unwrap();
            });
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
        // A leftover schema is a nuisance, not a failure.
        let drop = format!("SET lock_timeout = '20s'; DROP SCHEMA {} CASCADE", self.schema);
        let _ = self.runtime.block_on(self.client.batch_execute(&drop));
    }
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
