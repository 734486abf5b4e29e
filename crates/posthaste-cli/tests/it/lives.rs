//! Relays that come and go, and what they printed: the record of deliveries that no crash can take back.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::orders::Written;
use crate::program::{Place, Relay, until};

pub const SIGKILL: i32 = 9;

/// Few enough that every lane has several keys.
pub const PARTITIONS: u64 = 4;

/// A place for relays that are easy to catch in the act: runs, windows and commits are small.
pub fn place_with_lease(ttl: &str) -> Place {
    let place = Place::empty();
    let config = format!(
        "store.partitions = {PARTITIONS}\n\
         relay = {{ lease_ttl = '{ttl}', poll_interval = '20ms', window_messages = 50, commit_batch = 8 }}\n\
         destinations.out = {{ type = 'stdout', max_in_flight = 4, max_run = 3 }}\n"
    );
    place.write("posthaste.toml", &config);
    place.run(["migrate"]).succeeds();
    place
}

/// One message that was printed.
#[derive(Debug, Clone)]
pub struct Printed {
    pub id: String,
    pub key: String,
    pub number: u64,
}

impl Printed {
    fn parse(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        Self { id: text("id"), key: text("key"), number: line["payload"]["number"].as_u64().unwrap() }
    }
}

/// A relay that prints into a file of its own, which outlives it.
pub struct Life {
    pub relay: Relay,
    file: PathBuf,
}

impl Life {
    pub fn begin<'a>(place: &Place, environment: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let file = place.path(&format!("{}.jsonl", uuid::Uuid::now_v7()));
        let stdout = File::create_new(&file).unwrap();
        let relay = Relay::start(place.command().envs(environment).stdout(stdout));
        Self { relay, file }
    }

    /// Everything so far. What is torn at the end was never confirmed, and does not count.
    pub fn printed(&self) -> Vec<Printed> {
        let text = std::fs::read(&self.file).unwrap();
        let whole = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        whole.map(|line| Printed::parse(str::from_utf8(line).unwrap())).collect()
    }

    #[track_caller]
    pub fn prints_lines(&self, count: usize) {
        until(&format!("{count} lines are printed"), || self.printed().len() >= count);
    }

    /// Waits until the relay dies of this signal.
    #[track_caller]
    pub fn dies_of(mut self, signal: i32) -> Vec<Printed> {
        let status = self.relay.end();
        assert_eq!(status.signal(), Some(signal), "{status}: {}", self.relay.logged());
        self.printed()
    }

    #[track_caller]
    pub fn kill(self) -> Vec<Printed> {
        self.relay.signal("KILL");
        self.dies_of(SIGKILL)
    }

    /// Stops the relay gracefully.
    #[track_caller]
    pub fn stop(mut self) -> Vec<Printed> {
        self.relay.signal("TERM");
        let status = self.relay.end();
        assert_eq!(status.code(), Some(0), "{}", self.relay.logged());
        self.printed()
    }
}

/// Everything that was committed is among what was printed.
pub fn has_all<'a>(written: &[Written], printed: impl IntoIterator<Item = &'a Printed>) -> bool {
    let printed: HashSet<&str> = printed.into_iter().map(|line| line.id.as_str()).collect();
    written.iter().all(|event| printed.contains(event.id.as_str()))
}

/// Checks a record that is in the order of time: within each key, no event comes for the first time before its predecessor.
#[track_caller]
pub fn assert_first_deliveries_in_order<'a>(printed: impl IntoIterator<Item = &'a Printed>) {
    let mut next: HashMap<&str, u64> = HashMap::new();
    for line in printed {
        let next = next.entry(&line.key).or_default();
        assert!(line.number <= *next, "number {} of {} came before number {next}", line.number, line.key);
        *next = (*next).max(line.number + 1);
    }
}

/// The ids that the journal has recorded as delivered.
pub fn recorded(place: &Place) -> HashSet<String> {
    let answer = place.run(["list", "--status", "delivered", "--limit", "100000", "--json"]).succeeds();
    answer.json_lines().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// All is delivered and nothing was parked: no attempt was spent, nothing died.
#[track_caller]
pub fn assert_all_well(place: &Place, written: &[Written]) {
    let status = place.json(["status"]);
    let counts = &status["destinations"][0];
    for name in ["pending", "waiting", "retrying", "scheduled", "throttled", "dead", "replay", "held_keys"] {
        assert_eq!(counts[name], 0, "{name}: {status}");
    }
    let rows = place.run(["list", "--limit", "100000", "--json"]).succeeds().json_lines();
    assert_eq!(rows.len(), written.len());
    let untouched = |row: &Value| row["status"] == "delivered" && row["attempts"] == 0;
    assert!(rows.iter().all(untouched), "{:?}", rows.iter().find(|row| !untouched(row)));
}
