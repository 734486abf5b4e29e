//! What a run came to.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::config::{LEASE, WEBHOOK};
use super::fault_log::FaultLog;
use super::scene::Ended;
use super::series::Series;
use super::takeovers::Takeovers;
use super::verdict::Verdict;

/// More memory than this in one relay breaks a promise: windows are bounded.
const MEMORY_KB: u64 = 512 * 1024;

#[derive(Debug)]
pub struct Report {
    seed: u64,
    lasted: Duration,
    faults: BTreeMap<&'static str, u64>,
    verdicts: Vec<Verdict>,
    takeovers: Takeovers,
    series: Vec<Series>,
    peak_kb: u64,
    unasked_ends: u64,
}

impl Report {
    /// Of a run that began then, in microseconds since 1970, and lasted so long.
    pub fn new(seed: u64, (begun, lasted): (u64, Duration), log: &FaultLog, scenes: &[Ended]) -> anyhow::Result<Self> {
        let (mut verdicts, mut takeovers, mut series) = (Vec::new(), Takeovers::new(begun), Vec::new());
        for scene in scenes {
            let name = scene.name;
            let causes = [log.entries(), &scene.words].concat();
            for destination in &scene.destinations {
                verdicts.push(Verdict::reach(name, destination, &scene.committed, &causes)?);
                if destination.name == WEBHOOK {
                    takeovers.add(name, destination, log.entries())?;
                    series.push(Series::new(name, destination, begun, lasted)?);
                }
            }
        }
        let mut faults = BTreeMap::new();
        log.entries().iter().for_each(|entry| *faults.entry(entry.kind).or_default() += 1);
        let peak_kb = scenes.iter().map(|scene| scene.peak_kb).max().unwrap_or_default();
        let unasked_ends = scenes.iter().map(|scene| scene.unasked_ends).sum();
        Ok(Self { seed, lasted, faults, verdicts, takeovers, series, peak_kb, unasked_ends })
    }

    pub fn is_sound(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.broken.is_empty()) && self.peak_kb <= MEMORY_KB
    }

    pub fn json(&self) -> Value {
        json!({
            "seed": self.seed,
            "seconds": self.lasted.as_secs(),
            "faults": self.faults,
            "faults_in_all": self.faults.values().sum::<u64>(),
            "verified": self.verdicts.iter().map(|verdict| verdict.committed).sum::<u64>(),
            "verdicts": self.verdicts.iter().map(Verdict::json).collect::<Vec<_>>(),
            "lease_ms": LEASE.as_millis() as u64,
            "takeovers": self.takeovers.json(),
            "series": self.series.iter().map(Series::json).collect::<Vec<_>>(),
            "peak_memory_kb": self.peak_kb,
            "relays_ended_by_themselves": self.unasked_ends,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<18} {:<10} {:>10} {:>10} {:>9}  repeats by cause",
            "store", "to", "committed", "arrivals", "discarded"
        )?;
        for verdict in &self.verdicts {
            let Verdict { scene, destination, committed, arrivals, discarded, duplicates, .. } = verdict;
            writeln!(f, "{scene:<18} {destination:<10} {committed:>10} {arrivals:>10} {discarded:>9}  {duplicates:?}")?;
            for (promise, count) in &verdict.broken {
                writeln!(f, "  BROKEN: {promise}, {count} times")?;
            }
            verdict.examples.iter().try_for_each(|example| writeln!(f, "    {example}"))?;
        }
        writeln!(f, "faults: {:?}", self.faults)?;
        writeln!(f, "takeovers with a lease of {LEASE:?}: {}", self.takeovers)?;
        writeln!(f, "most memory of a relay: {} MB; ended by themselves: {}", self.peak_kb / 1024, self.unasked_ends)
    }
}
