//! How long keys stood still after their relay died or went, where nothing else happened meanwhile.

use std::collections::HashMap;
use std::fmt;

use anyhow::Result;
use serde_json::{Value, json};

use super::arrivals;
use super::config::LEASE;
use super::fault_log::Entry;
use super::scene::Destination;
use super::series::quantile;

/// Something that happens this shortly before or after a takeover disturbs it.
const DISTURBED_MICROS: u64 = LEASE.as_micros() as u64 + 1_500_000;

/// The slowest key of each takeover.
#[derive(Debug)]
pub struct Takeovers {
    begun: u64,
    after_kill: Vec<Taken>,
    after_stop: Vec<Taken>,
}

#[derive(Debug, Clone, Copy)]
struct Taken {
    /// Seconds since the run began.
    second: u64,
    millis: u64,
}

struct Takeover<'a> {
    fault: &'a Entry,
    /// The keys that the relay served last, and when they were served next by another one.
    next: HashMap<String, Option<u64>>,
}

impl Takeovers {
    /// Of a run that began then, in microseconds since 1970.
    pub fn new(begun: u64) -> Self {
        Self { begun, after_kill: Vec::new(), after_stop: Vec::new() }
    }

    /// By the record of the endpoint, which knows who delivered.
    pub fn add(&mut self, scene: &'static str, destination: &Destination, faults: &[Entry]) -> Result<()> {
        let mut alone: Vec<&Entry> = faults.iter().filter(|fault| is_alone(fault, scene, faults)).collect();
        alone.sort_by_key(|fault| std::cmp::Reverse(fault.from));
        let mut open: Vec<Takeover<'_>> = Vec::new();
        let mut served_by: HashMap<String, (String, u64)> = HashMap::new();
        arrivals::read(&destination.record, |arrival| {
            while let Some(fault) = alone.pop_if(|fault| fault.from <= arrival.at) {
                let recent = |at: u64| at + 2_000_000 > fault.from;
                let of_relay = served_by.iter().filter(|(_, (relay, at))| *relay == fault.target && recent(*at));
                open.push(Takeover { fault, next: of_relay.map(|(key, _)| (key.clone(), None)).collect() });
            }
            for takeover in open.iter_mut().filter(|takeover| takeover.fault.target != arrival.relay) {
                if let Some(next) = takeover.next.get_mut(arrival.key) {
                    next.get_or_insert(arrival.at);
                }
            }
            served_by.insert(arrival.key.to_owned(), (arrival.relay.to_owned(), arrival.at));
        })?;
        for takeover in open {
            let taken = |at: &u64| (at - takeover.fault.from) / 1_000;
            let slowest = takeover.next.values().flatten().map(taken).max();
            let all = if takeover.fault.kind == "kill_relay" { &mut self.after_kill } else { &mut self.after_stop };
            let second = takeover.fault.from.saturating_sub(self.begun) / 1_000_000;
            all.extend(slowest.map(|millis| Taken { second, millis }));
        }
        Ok(())
    }

    pub fn json(&self) -> Value {
        json!({ "after_kill": figures(&self.after_kill), "after_stop": figures(&self.after_stop) })
    }
}

fn is_alone(fault: &Entry, scene: &str, faults: &[Entry]) -> bool {
    // What is done to brokers does not concern the endpoint.
    let here = |other: &&Entry| other.scene == Some(scene);
    let near = |other: &&Entry| {
        other.from < fault.from + DISTURBED_MICROS && other.to.saturating_add(DISTURBED_MICROS) > fault.from
    };
    let is_takeover = matches!(fault.kind, "kill_relay" | "stop_relay") && fault.scene == Some(scene);
    is_takeover && fault.to > fault.from + DISTURBED_MICROS && faults.iter().filter(here).filter(near).count() == 1
}

fn figures(all: &[Taken]) -> Value {
    let millis: Vec<u64> = all.iter().map(|taken| taken.millis).collect();
    let each: Vec<_> = all.iter().map(|taken| [taken.second, taken.millis]).collect();
    let at = |part: f64| quantile(&millis, part);
    json!({ "count": millis.len(), "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0), "each": each })
}

impl fmt::Display for Takeovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, all) in [("after kill -9", &self.after_kill), ("after SIGTERM", &self.after_stop)] {
            let figures = figures(all);
            let ms = |name: &str| figures[name].as_u64().map_or("–".into(), |ms| format!("{ms} ms"));
            let (count, most) = (all.len(), ms("max_ms"));
            write!(f, "\n  {what}: {count}, p50 {}, p99 {}, most {most}", ms("p50_ms"), ms("p99_ms"))?;
        }
        Ok(())
    }
}
