//! Jobs: replays and discards of many, which survive the death of whoever carries them out and can be stopped.

use std::time::Duration;

use posthaste::journal::{Cursor, LaneCommit, Park, ParkedState, Partition, Position, ReadRequest, WorkerId};
use posthaste::store::Store;
use posthaste::{Destination, Message};
use serde_json::Value;

use crate::program::{Place, until};
use crate::servers::{self, block_on};

/// Messages of the large job.
const MANY: usize = 100_000;

/// So many dead deliveries to `out`, made through the port that a relay uses, of which nobody is left.
async fn make_dead(store: &dyn Store, count: usize) {
    store.register(&[Destination::new("out")]).await.unwrap();
    let partitions = store.partitions().await.unwrap();
    let worker = WorkerId("host-1".into());
    let ttl = Duration::from_secs(600);
    let leases = store.lease(&worker, ttl, partitions.into()).await.unwrap().leases;
    let mut after = Position::START;
    for batch in 0..count.div_ceil(5_000) {
        let size = (count - batch * 5_000).min(5_000);
        let message = |n: usize| Message::builder("order.paid", "order", n.to_string()).unordered().build().unwrap();
        store.write(&(0..size).map(message).collect::<Vec<_>>()).await.unwrap();
        let newest = store.advance().await.unwrap();
        let all = Partition::all(partitions).collect();
        let request = ReadRequest { partitions: all, after, until: newest, limit: 10_000, max_bytes: usize::MAX };
        let entries = store.read(&request).await.unwrap().entries;
        assert_eq!(entries.len(), size);
        let commits: Vec<LaneCommit> = leases
            .iter()
            .map(|lease| LaneCommit {
                cursor: Some(Cursor { low: newest, done: Vec::new() }),
                park: entries.iter().filter(|entry| entry.partition == lease.partition).map(dead).collect(),
                ..LaneCommit::nothing("out".into(), lease.partition, lease.epoch)
            })
            .collect();
        assert!(store.commit(&commits).await.unwrap().is_empty(), "the leases hold");
        after = newest;
    }
    store.release(&worker, &leases, true).await.unwrap();
}

fn dead(entry: &posthaste::journal::Entry) -> Park {
    Park {
        position: entry.position,
        message: entry.message.id,
        key: None,
        state: ParkedState::Dead,
        holds: false,
        attempts: 3,
        suspicion: 0,
        due_in: None,
        error: Some("answered 422".into()),
        progress: None,
    }
}

/// A paused destination, so that what is replayed stays where it is.
fn paused(place: &Place) {
    place.run(["pause", "out"]).succeeds();
}

fn job(place: &Place, number: u64) -> Value {
    place.json(["jobs", "show", &number.to_string()])
}

fn counts(place: &Place) -> (u64, u64) {
    let counts = &place.json(["status"])["destinations"][0];
    (counts["dead"].as_u64().unwrap(), counts["retrying"].as_u64().unwrap())
}

/// Waits for as long as there is progress.
fn until_done(place: &Place, number: u64) {
    let mut seen = job(place, number);
    while seen["state"] != "done" {
        let before = seen["affected"].clone();
        until("the job goes on", || {
            seen = job(place, number);
            seen["affected"] != before || seen["state"] == "done"
        });
    }
}

/// The relay is killed in the middle of the job, and another one ends it: everything is done once.
fn survives_a_kill(place: &Place) {
    paused(place);
    let mut relay = place.relay();
    let number = place.json(["replay", "--status", "dead", "--yes", "--detach"])["id"].as_u64().unwrap();
    until("the job is under way", || job(place, number)["affected"].as_u64().unwrap() > 0);
    relay.signal("KILL");
    relay.end();
    let (cut, (dead, retrying)) = (job(place, number), counts(place));
    assert_eq!(cut["state"], "running", "{cut}");
    assert_eq!(
        (cut["affected"].as_u64().unwrap(), dead),
        (retrying, MANY as u64 - retrying),
        "effect and progress are one"
    );
    let relay = place.relay();
    until_done(place, number);
    let done = job(place, number);
    assert_eq!((done["affected"].as_u64(), done["not_applicable"].as_u64()), (Some(MANY as u64), Some(0)), "{done}");
    assert_eq!(counts(place), (0, MANY as u64));
    relay.stop();
    let entries = place.run(["audit", "--json"]).succeeds().json_lines();
    let replays: Vec<&Value> = entries.iter().filter(|entry| entry["action"] == "replay").collect();
    assert_eq!(replays.len(), 1, "it ended once");
    assert_eq!(replays[0]["affected"].as_u64(), Some(MANY as u64));
}

#[test]
fn a_job_over_a_hundred_thousand_messages_survives_a_killed_relay_on_sqlite() {
    let place = Place::empty();
    place.write("posthaste.toml", "[destinations.out]\ntype = 'stdout'\n");
    place.run(["migrate"]).succeeds();
    let store = posthaste::stores::sqlite::Sqlite::open(place.path("posthaste.db"), Default::default()).unwrap();
    block_on(make_dead(&store, MANY));
    drop(store);
    survives_a_kill(&place);
}

#[test]
fn a_job_over_a_hundred_thousand_messages_survives_a_killed_relay_on_postgres() {
    let url = format!("postgres://postgres@{}/postgres", servers::address("postgres"));
    let schema = format!("it_{}", uuid::Uuid::now_v7().simple());
    let place = Place::empty();
    let store = format!("store = {{ type = 'postgres', url = '{url}', postgres = {{ schema = '{schema}' }} }}");
    place.write("posthaste.toml", &format!("{store}\ndestinations.out.type = 'stdout'\n"));
    place.run(["migrate"]).succeeds();
    let mut options = posthaste::stores::postgres::Options::new(url.as_str());
    options.schema.clone_from(&schema);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        make_dead(&posthaste::stores::postgres::Postgres::open(options).unwrap(), MANY).await;
    });
    survives_a_kill(&place);
    let (client, connection) = runtime.block_on(tokio_postgres::connect(&url, tokio_postgres::NoTls)).unwrap();
    runtime.spawn(connection);
    runtime.block_on(async {
        let _ = client.batch_execute(&format!("SET lock_timeout = '20s'; DROP SCHEMA {schema} CASCADE")).await;
    });
}

#[test]
fn a_stop_stops_a_job_and_a_command_needs_no_relay() {
    let place = Place::empty();
    place.write("posthaste.toml", "[destinations.out]\ntype = 'stdout'\n");
    place.run(["migrate"]).succeeds();
    let store = posthaste::stores::sqlite::Sqlite::open(place.path("posthaste.db"), Default::default()).unwrap();
    block_on(make_dead(&store, 2_000));
    drop(store);
    paused(&place);
    let number = place.json(["replay", "--query", "status:dead", "--yes", "--detach"])["id"].as_u64().unwrap();
    let stopped = place.json(["jobs", "stop", &number.to_string()]);
    assert_eq!((&stopped["state"], &stopped["affected"]), (&"stopped".into(), &0.into()));
    let relay = place.relay();
    let done = place.json(["discard", "--query", "status:dead destination:out", "--yes"]);
    assert_eq!(done["affected"], 2_000, "the stopped one has done nothing, and this one all");
    assert_eq!(job(&place, number)["state"], "stopped");
    relay.stop();
    let listed = place.run(["jobs"]).succeeds().stdout;
    assert!(listed.contains("stopped") && listed.contains("done") && listed.contains("status:dead"), "{listed}");
    place.run(["jobs", "show", "4711"]).ends_with(1);
}
