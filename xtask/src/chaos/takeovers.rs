//! How long the keys of a relay stood still after it died, was told to stop, or froze.
//!
//! A wait begins with the fault, or with the writing of the message if that was later, and ends with the message's first arrival; a
//! takeover is as long as the longest wait of any key. Only faults that nothing else disturbed are looked at: what else was broken in
//! the same scene would be measured with them.

use std::fmt;

use anyhow::Result;
use serde_json::{Value, json};

use self::watch::Watch;
use super::arrivals;
use super::config::LEASE;
use super::fault_log::Entry;
use super::scene::Destination;
use super::series::quantile;

mod watch;

/// What a takeover may take: after a death the lease has to end first, after a stop it is handed back.
const AFTER_KILL: u64 = LEASE.as_millis() as u64 + 1_000;
const AFTER_STOP: u64 = 1_000;

/// What can happen to a relay, the name of its figures, what people call it, and how many milliseconds it may take.
const KINDS: [(&str, &str, &str, u64); 3] = [
    ("kill_relay", "after_kill", "after kill -9", AFTER_KILL),
    ("stop_relay", "after_stop", "after SIGTERM", AFTER_STOP),
    ("freeze_relay", "after_freeze", "after the end of a freeze", AFTER_KILL),
];

/// The longest wait of each takeover, by `KINDS`.
#[derive(Debug)]
pub struct Takeovers {
    begun: u64,
    all: [Vec<Taken>; KINDS.len()],
}

#[derive(Debug, Clone, Copy)]
struct Taken {
    /// Seconds since the run began.
    second: u64,
    millis: u64,
}

impl Takeovers {
    /// Of a run that began then, in microseconds since 1970.
    pub fn new(begun: u64) -> Self {
        Self { begun, all: Default::default() }
    }

    /// By the record of the endpoint, which knows who delivered.
    pub fn add(&mut self, scene: &'static str, destination: &Destination, faults: &[Entry]) -> Result<()> {
        let of_scene: Vec<&Entry> = faults.iter().filter(|fault| fault.scene == Some(scene)).collect();
        let mut watch = Watch::new(&of_scene);
        arrivals::read(&destination.record, |arrival| watch.see(&arrival))?;
        for (fault, wait) in watch.waits() {
            let Some(kind) = KINDS.iter().position(|(kind, ..)| *kind == fault.kind) else { continue };
            let second = fault.from.saturating_sub(self.begun) / 1_000_000;
            self.all[kind].push(Taken { second, millis: wait / 1_000 });
        }
        Ok(())
    }

    pub fn json(&self) -> Value {
        let each = KINDS.iter().zip(&self.all);
        each.map(|((_, name, _, most), all)| ((*name).to_owned(), figures(all, *most))).collect::<Value>()
    }
}

fn figures(all: &[Taken], allowed: u64) -> Value {
    let millis: Vec<u64> = all.iter().map(|taken| taken.millis).collect();
    let each: Vec<_> = all.iter().map(|taken| [taken.second, taken.millis]).collect();
    let within = millis.iter().filter(|millis| **millis <= allowed).count();
    let at = |part: f64| quantile(&millis, part);
    json!({
        "count": millis.len(), "allowed_ms": allowed, "within": within,
        "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0), "each": each,
    })
}

impl fmt::Display for Takeovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((_, _, what, allowed), all) in KINDS.iter().zip(&self.all) {
            let figures = figures(all, *allowed);
            let ms = |name: &str| figures[name].as_u64().map_or("–".into(), |ms| format!("{ms} ms"));
            let (within, count, most) = (&figures["within"], all.len(), ms("max_ms"));
            write!(
                f,
                "\n  {what}: {within} of {count} within {allowed} ms; p50 {}, p99 {}",
                ms("p50_ms"),
                ms("p99_ms")
            )?;
            write!(f, ", most {most}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_say_how_many_takeovers_were_as_quick_as_they_may_be() {
        let taken = |millis| Taken { second: 1, millis };
        let figures = figures(&[taken(900), taken(1_000), taken(1_001)], AFTER_STOP);
        assert_eq!((&figures["within"], &figures["count"]), (&json!(2), &json!(3)));
        assert_eq!(figures["each"][2], json!([1, 1_001]));
        let none = self::figures(&[], AFTER_STOP);
        assert_eq!((&none["count"], &none["max_ms"]), (&json!(0), &Value::Null));
    }
}
