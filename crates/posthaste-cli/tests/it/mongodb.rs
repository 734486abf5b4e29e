//! The real program on a real MongoDB: every command, and three relays.

use std::time::Duration;

use mongodb::bson::doc;
use posthaste::Message;
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options};

use crate::application::Application;
use crate::lives::Life;
use crate::program::{Place, until};
use crate::servers;
use crate::three_workers::{self, PARTITIONS};

#[cfg(feature = "table")]
mod adopting;
mod left_open;

pub struct InDatabase {
    runtime: tokio::runtime::Runtime,
    store: MongoDb,
    client: mongodb::Client,
    database: String,
    url: String,
}

impl InDatabase {
    pub fn new() -> (Place, Self) {
        Self::on(&servers::address("mongodb"))
    }

    fn on(address: &str) -> (Place, Self) {
        let database = format!("posthaste_cli_{}", uuid::Uuid::now_v7().simple());
        let url = format!("mongodb://{address}/{database}?replicaSet=rs0");
        let store = format!("{{ type = 'mongodb', url = '{url}', partitions = {PARTITIONS} }}");
        let place = three_workers::place_on(&store);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let store = runtime.block_on(MongoDb::open(&url, Options::default())).unwrap();
        let client = runtime.block_on(mongodb::Client::with_uri_str(&url)).unwrap();
        (place, Self { runtime, store, client, database, url })
    }

    /// From now on no message is taken.
    pub fn refuse_writes(&self) {
        let refuse = doc! { "collMod": self.store.collection(), "validator": { "_id": "nothing" } };
        self.runtime.block_on(async { self.client.database(&self.database).run_command(refuse).await }).unwrap();
    }
}

impl Application for InDatabase {
    fn commit(&mut self, messages: &[Message]) {
        self.runtime.block_on(self.store.write(messages)).unwrap();
    }
}

impl Drop for InDatabase {
    fn drop(&mut self) {
        // A leftover database is a nuisance, not a failure. To be dropped it waits for a transaction that was left open.
        let dropped = async { self.client.database(&self.database).drop().await };
        let _ = self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(5), dropped).await });
    }
}

#[test]
fn every_command_works_on_it() {
    let (place, _application) = InDatabase::new();
    let place = &place;
    place.run(["check"]).succeeds();
    let id = place.enqueue("order/1", ["--payload", "{\"number\":0}"]);
    let life = Life::begin(place, []);
    life.prints_lines(1);
    let status = |id: &str| place.json(["show", id])["deliveries"][0]["status"].clone();
    until("it is recorded", || status(&id) == "delivered");
    assert_eq!(place.run(["list", "--json"]).succeeds().json_lines().len(), 1);
    place.run(["history", "order/1"]).succeeds();
    assert_eq!(place.json(["explain", &id])["explanations"][0]["cause"], "delivered");
    assert_eq!(place.json(["replay", &id, "--yes"])["affected"], 1);
    life.prints_lines(2);
    until("it is recorded again", || status(&id) == "delivered");

    place.run(["pause", "out"]).succeeds();
    let later = place.enqueue("order/2", ["--payload", "{\"number\":0}", "--due-at", "2099-01-01"]);
    place.run(["resume", "out"]).succeeds();
    until("it is parked", || status(&later) == "scheduled");
    assert_eq!(place.json(["discard", &later, "--yes"])["affected"], 1);
    until("its lane has let it go", || status(&later) == "discarded");
    assert_eq!(place.json(["explain", &later])["explanations"][0]["cause"], "discarded");

    until("everything is settled and removed", || {
        place.run(["purge", "--older-than", "0s", "--yes"]).succeeds();
        place.json(["status"])["messages"] == 0
    });
    life.stop();
    assert!(place.run(["audit", "--json"]).succeeds().json_lines().len() >= 5, "whoever changed something is known");
}

#[test]
fn of_three_workers_one_is_killed_and_one_frozen_past_its_leases_and_nothing_is_settled_by_a_stranger() {
    let (place, application) = InDatabase::new();
    three_workers::one_is_killed_and_one_frozen_past_its_leases(place, application);
}
