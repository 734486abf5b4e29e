//! Whether the promises were kept at one destination, by its consumer's own record.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use serde_json::{Value, json};

use super::arrivals::{self, Arrival, Committed, Done};
use super::config::HANDLERS;
use super::fault_log::Entry;
use super::scene::Destination;
use super::words::{LEASE_EXPIRED, OUT_OF_REACH, UNANSWERED};

/// A promise that was broken: something is missing.
pub const LOST: &str = "lost";
/// Examples of what went wrong that are shown.
const SHOWN: usize = 10;
/// A fault explains a repeat if it was in force between the two arrivals, or so shortly before the first that its answer was lost.
const MARGIN_MICROS: u64 = 5_000_000;

#[derive(Debug, Default)]
pub struct Verdict {
    pub scene: &'static str,
    pub destination: String,
    pub committed: u64,
    /// Messages that consumers have, repeats included.
    pub arrivals: u64,
    /// Refused by their consumer and given up by an operator.
    pub discarded: u64,
    pub duplicates: BTreeMap<&'static str, u64>,
    pub broken: BTreeMap<&'static str, u64>,
    pub examples: Vec<String>,
}

/// What is known of one key.
#[derive(Default)]
struct Key {
    /// The newest number that arrived.
    newest: u64,
    /// When each number arrived last from a relay, and whether that was told.
    arrived: HashMap<u64, (u64, Done)>,
    refused: HashSet<u64>,
}

impl Verdict {
    pub fn reach(
        scene: &'static str,
        destination: &Destination,
        committed: &Committed,
        faults: &[Entry],
    ) -> Result<Self> {
        let (name, all) = (destination.name.clone(), committed.messages());
        let mut verdict = Self { scene, destination: name, committed: all, ..Self::default() };
        let concerns = |fault: &&Entry| {
            fault.scene.is_none_or(|of| of == scene) && concerns(fault.kind, &fault.target, &destination.name)
        };
        let faults: Vec<&Entry> = faults.iter().filter(concerns).collect();
        let mut keys: HashMap<String, Key> = HashMap::new();
        let mut refused: HashSet<String> = HashSet::new();
        arrivals::read(&destination.record, |arrival| {
            if arrival.done == Done::Refused {
                refused.insert(arrival.id.to_owned());
            }
            let key = keys.entry(arrival.key.to_owned()).or_default();
            verdict.judge(key, &arrival, committed, &faults);
        })?;
        // The journal has forgotten the older ones; those that it has must have been refused.
        let unfounded = destination.discarded.iter().filter(|id| !refused.contains(*id));
        unfounded.for_each(|id| verdict.breaks("dead_without_cause", format!("{id} was never refused")));
        verdict.look_for_missing(&keys, committed);
        Ok(verdict)
    }

    fn judge(&mut self, key: &mut Key, arrival: &Arrival<'_>, committed: &Committed, faults: &[&Entry]) {
        let Arrival { at, number, done, .. } = *arrival;
        let place = || format!("{} {number} at {at} through {}", arrival.key, arrival.relay);
        if number == 0 || committed.0.get(arrival.key).is_none_or(|last| number > *last) {
            self.breaks("never_committed", place());
        }
        if done == Done::Refused {
            key.refused.insert(number);
        }
        if !arrival.is_taken() {
            return;
        }
        self.arrivals += 1;
        let before = key.arrived.get(&number).copied();
        // What a broker sends again says nothing of when the relay sent it.
        if before.is_none() || !arrival.is_redelivered() {
            key.arrived.insert(number, (at, done));
        }
        match before {
            Some((before, told)) => {
                let cause = cause(arrival, before, told, faults);
                *self.duplicates.entry(cause.unwrap_or("unexplained")).or_default() += 1;
                if cause.is_none() {
                    self.breaks("unexplained_duplicate", format!("{}, before at {before}", place()));
                }
            }
            None if number < key.newest => self.breaks("out_of_order", place()),
            None => {
                let missing = (key.newest + 1..number).find(|earlier| !key.refused.contains(earlier));
                if let Some(missing) = missing {
                    self.breaks("overtaken", format!("{}, before {missing}", place()));
                }
                key.newest = number;
            }
        }
    }

    /// Only what its consumer refused may be missing at the end: it died, and an operator gave it up.
    fn look_for_missing(&mut self, keys: &HashMap<String, Key>, committed: &Committed) {
        let unknown = Key::default();
        for (name, last) in &committed.0 {
            let key = keys.get(name).unwrap_or(&unknown);
            for number in (1..=*last).filter(|number| !key.arrived.contains_key(number)) {
                if key.refused.contains(&number) {
                    self.discarded += 1;
                } else {
                    self.breaks(LOST, format!("{name} {number}"));
                }
            }
        }
    }

    fn breaks(&mut self, promise: &'static str, example: String) {
        *self.broken.entry(promise).or_default() += 1;
        if self.examples.len() < SHOWN {
            self.examples.push(format!("{promise}: {example}"));
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "store": self.scene, "destination": self.destination, "committed": self.committed, "arrivals": self.arrivals,
            "discarded": self.discarded, "duplicates": self.duplicates, "broken": self.broken, "examples": self.examples,
        })
    }
}

/// Whether a fault can make a destination get something twice. Nothing can where the effect commits with its mark.
fn concerns(kind: &str, target: &str, destination: &str) -> bool {
    if destination == HANDLERS {
        return false;
    }
    let link = target.rsplit_once('-').map(|(_, server)| server);
    match kind {
        "kill_relay" | "freeze_relay" | "stop_relay" | "kill_store" | "fail_over" => true,
        "fill_disk" | "limit_memory" => true,
        LEASE_EXPIRED | UNANSWERED => true,
        "kill_broker" | OUT_OF_REACH => target == destination,
        "replay_delivered" | "replay_dead" => target.split(' ').next() == Some(destination),
        "kill_writer" | "discard" | "pause" | "skew_clock" => false,
        _ => link.is_some_and(|server| server == "store" || server == "standby" || server == destination),
    }
}

/// Why something came again.
fn cause(arrival: &Arrival<'_>, before: u64, told: Done, faults: &[&Entry]) -> Option<&'static str> {
    if told == Done::InSilence {
        return Some("not answered");
    }
    if arrival.is_redelivered() {
        return Some("redelivered by the broker");
    }
    let key = format!(" order/{}", arrival.key);
    let of_others = |fault: &&&Entry| match fault.kind {
        "replay_delivered" => !fault.target.ends_with(&key),
        UNANSWERED => fault.target != arrival.id,
        _ => false,
    };
    let between = |fault: &&&Entry| fault.from <= arrival.at && fault.to.saturating_add(MARGIN_MICROS) >= before;
    let fault = faults.iter().filter(|fault| !of_others(fault)).find(between)?;
    Some(match fault.kind {
        LEASE_EXPIRED => "lease expired",
        UNANSWERED | OUT_OF_REACH => "not answered in time",
        kind if kind.starts_with("replay") => "replayed",
        _ => "fault between the two",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the first message of a key that arrives at these times. The broker was dead from the first to the second second.
    fn causes(arrivals: &[(u64, &str)]) -> BTreeMap<&'static str, u64> {
        let killed =
            Entry { from: 1_000_000, to: 2_000_000, kind: "kill_broker", scene: None, target: "rabbitmq".into() };
        let committed = Committed([("w0-0001".to_owned(), 1)].into());
        let (mut verdict, mut key) = (Verdict::default(), Key::default());
        for (at, relay) in arrivals {
            let arrival = Arrival { at: *at, relay, id: "1", key: "w0-0001", number: 1, done: Done::Taken };
            verdict.judge(&mut key, &arrival, &committed, &[&killed]);
        }
        assert_eq!(
            verdict.broken.contains_key("unexplained_duplicate"),
            verdict.duplicates.contains_key("unexplained")
        );
        verdict.duplicates
    }

    /// The relay sends again what it was not told of when the broker died, however late, and after the broker has done so itself.
    #[test]
    fn what_a_broker_sends_again_does_not_hide_why_the_relay_does() {
        let causes = causes(&[(900_000, ""), (30_000_000, "redelivered"), (30_400_000, "")]);
        assert_eq!(causes, [("fault between the two", 1), ("redelivered by the broker", 1)].into());
    }

    #[test]
    fn a_repeat_long_after_the_fault_is_not_explained_by_it() {
        assert_eq!(causes(&[(20_000_000, ""), (30_000_000, "")]), [("unexplained", 1)].into());
    }
}
