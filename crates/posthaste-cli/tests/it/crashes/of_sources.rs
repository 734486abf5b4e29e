//! Relays are killed, and so are leaders of the log that they read, while events flow into a journal on PostgreSQL: each event that matches
//! is stored once, in the order of its stream, and the checkpoint is never ahead of what is stored.
//!
//! `POSTHASTE_KILLS=200 cargo xtask test --only crashes::of_sources` is the long form, with 100,000 events.

use std::collections::HashMap;

use posthaste::conformance::kurrentdb::StandIn;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::dice::Dice;
use crate::lives::Life;
use crate::program::{Place, until};
use crate::workers_on_postgres::InSchema;

/// Every second one kills a relay, the others a leader.
const KILLS: usize = 10;
/// Matching events that are appended for each kill, and as many that do not match.
const PER_KILL: usize = 500;
const STREAMS: usize = 20;

/// A log with three nodes, a journal, and two relays of which one reads.
struct World {
    relays: HashMap<String, Life>,
    runtime: Runtime,
    server: StandIn,
    place: Place,
    journal: InSchema,
    born: usize,
    /// The positions of the events that match.
    positions: Vec<u64>,
    dead_node: Option<usize>,
}

/// What one statement sees of the source.
struct Seen {
    reader: Option<String>,
    stored: usize,
}

impl World {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let server = runtime.block_on(StandIn::cluster());
        let (place, journal) = InSchema::in_place(|store| place_on(store, &server.connection_string()));
        let (relays, positions) = (HashMap::new(), Vec::new());
        let mut world = Self { relays, runtime, server, place, journal, born: 0, positions, dead_node: None };
        (0..2).for_each(|_| world.begin_a_relay());
        world
    }

    fn begin_a_relay(&mut self) {
        let name = format!("relay-{}", self.born);
        self.born += 1;
        let life = Life::begin(&self.place, [("POSTHASTE_RELAY__WORKER", name.as_str())]);
        self.relays.insert(name, life);
    }

    /// Appends to the streams in turn.
    fn append(&mut self, count: usize) {
        for n in self.positions.len()..self.positions.len() + count {
            let data = format!("{{\"number\":{}}}", n / STREAMS);
            self.server.append(&format!("account-{}", n % STREAMS), "account.changed", data, "");
            self.positions.push(self.server.end());
            self.server.append("order-1", "order.created", "{}", "");
        }
    }

    /// Looks at the source and at the journal at the same moment, and sees to it that the one is not ahead of the other.
    fn look(&self) -> Seen {
        let sql = "SELECT worker, checkpoint, (SELECT count(*) FROM {schema}.outbox) FROM {schema}.outbox_sources";
        let Some(row) = self.journal.query(sql).into_iter().next() else { return Seen { reader: None, stored: 0 } };
        let (reader, checkpoint, stored): (_, Option<String>, i64) = (row.get(0), row.get(1), row.get(2));
        let commit = checkpoint.as_deref().and_then(|text| text.split('/').next()?.parse().ok()).unwrap_or(0);
        let passed = self.positions.partition_point(|position| *position <= commit);
        let stored = usize::try_from(stored).unwrap();
        assert_eq!(stored, passed, "the checkpoint {checkpoint:?} says {passed}");
        Seen { reader, stored }
    }

    #[track_caller]
    fn until_stored(&self, count: usize) {
        until(&format!("{count} are stored"), || self.look().stored >= count);
    }

    /// Another one waits to take over.
    fn kill_the_reader(&mut self) {
        let mut reader = None;
        until("a relay that lives reads", || {
            reader = self.look().reader.filter(|name| self.relays.contains_key(name));
            reader.is_some()
        });
        self.relays.remove(&reader.unwrap()).unwrap().kill();
        self.begin_a_relay();
    }

    /// The one that was killed before comes back, so that there is a majority.
    fn kill_the_leader(&mut self) {
        let Self { runtime, server, dead_node, .. } = self;
        runtime.block_on(async {
            if let Some(dead) = dead_node.take() {
                server.revive(dead).await;
            }
            *dead_node = Some(server.kill_leader().await);
        });
    }

    /// Each stream has each of its events once, in order.
    fn assert_all_is_there(mut self) {
        self.relays.drain().for_each(|(_, life)| drop(life.stop()));
        let limit = (self.positions.len() * 2).to_string();
        let rows = self.place.run(["list", "--limit", &limit, "--json"]).succeeds().json_lines();
        assert_eq!(rows.len(), self.positions.len());
        let mut next: HashMap<&str, usize> = HashMap::new();
        for row in &rows {
            let text = |name: &str| row[name].as_str().unwrap();
            let next = next.entry(text("key")).or_default();
            assert_eq!(text("aggregate_id"), next.to_string(), "{row}");
            *next += 1;
        }
        assert_eq!(next.len(), STREAMS);
        let source = self.place.json(["sources", "show", "accounts"]);
        assert_eq!((&source["stored"], &source["refused"]), (&Value::from(rows.len()), &Value::from(0)));
    }
}

/// Small portions, so that there are many moments to die at.
fn place_on(store: &str, connection_string: &str) -> Place {
    let place = Place::empty();
    let config = format!(
        "store = {store}\n\
         relay = {{ lease_ttl = '1s', poll_interval = '20ms' }}\n\
         destinations.out = {{ type = 'stdout', events = ['nothing.*'] }}\n\
         [sources.accounts]\n\
         type = 'kurrentdb'\n\
         max_batch = 50\n\
         map = '{{key: .stream, aggregate_type: \"account\", aggregate_id: (.data.number | tostring)}}'\n\
         [sources.accounts.kurrentdb]\n\
         connection_string = '{connection_string}'\n\
         filter = {{ event_type_prefix = ['account.'] }}\n"
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

#[test]
fn each_event_is_stored_once_and_in_order_while_relays_and_leaders_are_killed() {
    let kills = std::env::var("POSTHASTE_KILLS").map_or(KILLS, |text| text.parse().expect("a number of kills"));
    let (mut world, mut dice) = (World::new(), Dice(18));
    for kill in 0..kills {
        let before = world.positions.len();
        world.append(PER_KILL);
        world.until_stored(before + dice.between(0, PER_KILL));
        if kill % 2 == 0 { world.kill_the_reader() } else { world.kill_the_leader() }
    }
    world.until_stored(world.positions.len());
    world.assert_all_is_there();
}
