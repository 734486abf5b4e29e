//! Follows the arrivals of one scene, and measures how long the keys of relays that were hit waited.

use std::collections::{HashMap, HashSet};

use super::super::arrivals::{Arrival, Done};
use super::super::config::LEASE;
use super::super::fault_log::Entry;

/// What is broken this shortly before a takeover, or between it and the end of this, disturbs it.
const CALM_MICROS: u64 = LEASE.as_micros() as u64 + 1_500_000;
/// A relay holds the keys that it served this shortly before.
const RECENT_MICROS: u64 = 2_000_000;

pub struct Watch<'a> {
    /// Not reached yet, the latest first.
    ahead: Vec<Hit<'a>>,
    hits: Vec<Hit<'a>>,
    served: HashMap<String, Served>,
}

/// Who served a key last.
struct Served {
    relay: String,
    at: u64,
    done: Done,
}

/// A relay was hit.
struct Hit<'a> {
    fault: &'a Entry,
    /// When the next thing was broken.
    calm_until: u64,
    /// Its keys that have not gone on yet.
    keys: HashSet<String>,
    longest: Option<u64>,
}

impl<'a> Watch<'a> {
    /// Of the faults of one scene.
    pub fn new(faults: &[&'a Entry]) -> Self {
        let mut ahead: Vec<Hit<'a>> = faults.iter().filter_map(|fault| Hit::undisturbed(fault, faults)).collect();
        ahead.sort_by_key(|hit| std::cmp::Reverse(hit.fault.from));
        Self { ahead, hits: Vec::new(), served: HashMap::new() }
    }

    pub fn see(&mut self, arrival: &Arrival<'_>) {
        while let Some(mut hit) = self.ahead.pop_if(|hit| hit.fault.from <= arrival.at) {
            hit.keys = self.served.iter().filter(|(_, served)| hit.held(served)).map(|(key, _)| key.clone()).collect();
            self.hits.push(hit);
        }
        for hit in &mut self.hits {
            hit.see(arrival);
        }
        let served = Served { relay: arrival.relay.to_owned(), at: arrival.at, done: arrival.done };
        self.served.insert(arrival.key.to_owned(), served);
    }

    /// The longest wait after each fault, in microseconds, where there was one.
    pub fn waits(self) -> impl Iterator<Item = (&'a Entry, u64)> {
        self.hits.into_iter().filter_map(|hit| Some((hit.fault, hit.longest?)))
    }
}

impl<'a> Hit<'a> {
    /// One of a relay, with nothing else broken shortly before and long enough afterwards.
    fn undisturbed(fault: &'a Entry, faults: &[&'a Entry]) -> Option<Self> {
        let others = || faults.iter().filter(|other| !std::ptr::eq(**other, fault));
        let calm_until = others().map(|other| other.from).filter(|from| *from >= fault.from).min().unwrap_or(u64::MAX);
        let felt = |other: &&Entry| other.from < fault.from && other.to.saturating_add(CALM_MICROS) > fault.from;
        let hit = Self { fault, calm_until, keys: HashSet::new(), longest: None };
        let is_of_relay = super::KINDS.iter().any(|(kind, ..)| *kind == fault.kind);
        let is_calm = calm_until >= hit.begun().saturating_add(CALM_MICROS) && !others().any(felt);
        (is_of_relay && is_calm).then_some(hit)
    }

    /// Keys may go on from now on: a relay that froze can go on itself when that is over.
    fn begun(&self) -> u64 {
        if self.fault.kind == "freeze_relay" { self.fault.to } else { self.fault.from }
    }

    /// Whether a key was the relay's. One that fails or is refused waits for a reason of its own.
    fn held(&self, served: &Served) -> bool {
        served.relay == self.fault.target && served.done == Done::Taken && served.at + RECENT_MICROS > self.fault.from
    }

    fn see(&mut self, arrival: &Arrival<'_>) {
        // What was on its way already when the relay was hit.
        let is_old_life = arrival.relay == self.fault.target && arrival.at < self.fault.to;
        if is_old_life || !self.keys.remove(arrival.key) {
            return;
        }
        // Waits beyond the calm are cut, not left out: a takeover that took too long has to be seen.
        let begun = self.begun().max(arrival.written_micros().unwrap_or_default());
        if let Some(wait) = arrival.at.min(self.calm_until).checked_sub(begun) {
            self.longest = self.longest.max(Some(wait));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;
    /// When the relay is hit, in the tests below.
    const HIT: u64 = 1_000 * SECOND;

    fn fault(kind: &'static str, from: u64, to: u64) -> Entry {
        Entry { from, to, kind, scene: Some("sqlite"), target: "relay-0".into() }
    }

    /// The longest wait after the first of the faults, of messages as (key, relay, written, arrived, done).
    fn wait(faults: &[Entry], messages: &[(&str, &str, u64, u64, Done)]) -> Option<u64> {
        let faults: Vec<&Entry> = faults.iter().collect();
        let mut watch = Watch::new(&faults);
        for (key, relay, written, at, done) in messages {
            let id = format!("{:012x}", written / 1_000);
            watch.see(&Arrival { at: *at, relay, id: &id, key, number: 1, done: *done });
        }
        watch.waits().find(|(fault, _)| fault.from == HIT).map(|(_, wait)| wait)
    }

    const fn served(key: &'static str, at: u64) -> (&'static str, &'static str, u64, u64, Done) {
        (key, "relay-0", at - SECOND, at, Done::Taken)
    }

    #[test]
    fn a_message_that_was_there_waits_from_the_fault_and_a_later_one_from_its_writing() {
        let killed = [fault("kill_relay", HIT, HIT + 6 * SECOND)];
        let old = ("a", "relay-1", HIT - SECOND, HIT + 3 * SECOND, Done::Taken);
        assert_eq!(wait(&killed, &[served("a", HIT - SECOND), old]), Some(3 * SECOND));
        let new = ("a", "relay-1", HIT + 2 * SECOND, HIT + 3 * SECOND, Done::Taken);
        assert_eq!(wait(&killed, &[served("a", HIT - SECOND), new]), Some(SECOND));
        // Nothing was written for a long time: that is no wait.
        let late = ("a", "relay-1", HIT + 90 * SECOND, HIT + 90 * SECOND + 5_000, Done::Taken);
        assert_eq!(wait(&killed, &[served("a", HIT - SECOND), late]), Some(5_000));
    }

    #[test]
    fn the_slowest_key_counts_and_each_only_once() {
        let killed = [fault("kill_relay", HIT, HIT + 6 * SECOND)];
        let by_other = |key, at| (key, "relay-2", HIT, at, Done::Taken);
        let seen = [
            served("a", HIT - SECOND),
            served("b", HIT - SECOND),
            by_other("a", HIT + SECOND),
            by_other("b", HIT + 2 * SECOND),
            by_other("a", HIT + 9 * SECOND),
        ];
        assert_eq!(wait(&killed, &seen), Some(2 * SECOND));
    }

    #[test]
    fn what_the_dead_relay_still_had_on_its_way_ends_no_wait_and_its_next_life_does() {
        let killed = [fault("kill_relay", HIT, HIT + 2 * SECOND)];
        let of_relay = |at| ("a", "relay-0", HIT - SECOND, at, Done::Taken);
        let seen = [served("a", HIT - SECOND), of_relay(HIT + 1_000), of_relay(HIT + 4 * SECOND)];
        assert_eq!(wait(&killed, &seen), Some(4 * SECOND));
    }

    #[test]
    fn keys_of_other_relays_and_keys_that_failed_are_not_waited_for() {
        let killed = [fault("kill_relay", HIT, HIT + 6 * SECOND)];
        let next = ("a", "relay-1", HIT, HIT + 4 * SECOND, Done::Taken);
        for before in [("a", "relay-1", HIT - SECOND, HIT - SECOND, Done::Taken), served("a", HIT - 3 * SECOND)] {
            assert_eq!(wait(&killed, &[before, next]), None);
        }
        for done in [Done::Failed, Done::Refused, Done::InSilence] {
            assert_eq!(wait(&killed, &[("a", "relay-0", HIT - SECOND, HIT - SECOND, done), next]), None);
        }
    }

    #[test]
    fn a_fault_that_another_one_disturbs_is_left_out_and_one_that_never_ends_is_cut() {
        let killed = || fault("kill_relay", HIT, HIT + 6 * SECOND);
        let seen = [served("a", HIT - SECOND), ("a", "relay-1", HIT, HIT + 60 * SECOND, Done::Taken)];
        let near = [(HIT - 9 * SECOND, HIT - SECOND), (HIT + SECOND, HIT + 2 * SECOND), (HIT - SECOND, u64::MAX)];
        for (from, to) in near {
            assert_eq!(wait(&[killed(), fault("refuse", from, to)], &seen), None);
        }
        let far = [
            killed(),
            fault("refuse", HIT - 9 * SECOND, HIT - 8 * SECOND),
            fault("refuse", HIT + 7 * SECOND, u64::MAX),
        ];
        assert_eq!(wait(&far, &seen), Some(7 * SECOND));
    }

    #[test]
    fn a_frozen_relay_is_waited_for_from_the_end_of_its_freeze() {
        let frozen = [fault("freeze_relay", HIT, HIT + 2 * SECOND)];
        let after = ("a", "relay-0", HIT, HIT + 3 * SECOND, Done::Taken);
        assert_eq!(wait(&frozen, &[served("a", HIT - SECOND), after]), Some(SECOND));
        let meanwhile = ("a", "relay-1", HIT, HIT + SECOND, Done::Taken);
        assert_eq!(wait(&frozen, &[served("a", HIT - SECOND), meanwhile, after]), None);
    }
}
