//! The real program on a real MongoDB.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::lives::Life;
use crate::program::{Place, until};

/// A place whose journal is a database of its own.
fn place() -> Place {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/mongodb/address");
    let address = std::fs::read_to_string(file).expect("no mongodb: cargo xtask services up mongodb");
    let database = format!("posthaste_cli_{}", uuid::Uuid::now_v7().simple());
    let place = Place::empty();
    let config = format!(
        "store = {{ type = 'mongodb', url = 'mongodb://{}/{database}?replicaSet=rs0' }}\n\
         relay = {{ lease_ttl = '2s' }}\n\
         destinations.out = {{ type = 'stdout' }}\n",
        address.trim()
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

/// Events of three orders, numbered from `from` on.
fn enqueue(place: &Place, from: u64, count: u64) -> HashSet<String> {
    let payload = |n: u64| format!("{{\"number\":{}}}", n / 3);
    (from..from + count).map(|n| place.enqueue(&format!("order/{}", n % 3), ["--payload", &payload(n)])).collect()
}

#[test]
fn every_command_works_on_it() {
    let place = place();
    place.run(["check"]).succeeds();
    let id = place.enqueue("order/1", ["--payload", "{\"number\":0}"]);
    let life = Life::begin(&place, []);
    life.prints_lines(1);
    let is_delivered = || place.json(["show", &id])["deliveries"][0]["status"] == "delivered";
    until("it is recorded", is_delivered);
    assert_eq!(place.run(["list", "--json"]).succeeds().json_lines().len(), 1);
    place.run(["history", "order/1"]).succeeds();
    place.run(["explain", &id]).succeeds();
    place.run(["replay", &id, "--yes"]).succeeds();
    life.prints_lines(2);
    until("it is recorded again", is_delivered);
    place.run(["purge", "--older-than", "0s", "--yes"]).succeeds();
    assert_eq!(place.json(["status"])["messages"], 0);
    life.stop();
}

#[test]
fn a_relay_that_freezes_past_its_lease_is_taken_over_and_nothing_is_lost() {
    let place = place();
    let (frozen, other) = (Life::begin(&place, []), Life::begin(&place, []));
    let mut written = enqueue(&place, 0, 12);
    let has_all = |written: &HashSet<String>| {
        let printed: HashSet<String> = frozen.printed().into_iter().chain(other.printed()).map(|line| line.id).collect();
        written.iter().all(|id| printed.contains(id))
    };
    until("everything is delivered", || has_all(&written));
    frozen.relay.signal("STOP");
    written.extend(enqueue(&place, 12, 12));
    until("the other one has taken over", || has_all(&written));
    frozen.relay.signal("CONT");
    written.extend(enqueue(&place, 24, 12));
    until("everything is delivered", || has_all(&written));
    for life in [frozen, other] {
        let mut last: HashMap<String, u64> = HashMap::new();
        for line in life.stop() {
            assert!(written.contains(&line.id));
            let before = last.insert(line.key.clone(), line.number);
            assert!(before.is_none_or(|before| before <= line.number), "{} out of order", line.key);
        }
    }
}
