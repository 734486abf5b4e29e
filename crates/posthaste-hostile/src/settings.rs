//! What `cargo xtask hostile` asks for, by the environment.

use std::env;
use std::path::PathBuf;

/// Enough to meet a mistake in the way, few enough for every run of the tests.
const CASES: u64 = 4_000;
/// The same in every run of the tests, so that a failure is a change's and not chance's.
const SEED: u64 = 22;

#[derive(Debug)]
pub(crate) struct Settings {
    /// How many cases; what the target says is little enough for every run of the tests, unless asked for.
    pub(crate) cases: Option<u64>,
    pub(crate) seed: u64,
    /// The first case.
    pub(crate) from: u64,
    /// Only this target.
    pub(crate) only: Option<String>,
    /// Where a result is written.
    pub(crate) results: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn read() -> Self {
        let number = |name| Some(env::var(name).ok()?.parse().unwrap_or_else(|_| panic!("{name} is no number")));
        Self {
            cases: number("POSTHASTE_HOSTILE_CASES"),
            seed: number("POSTHASTE_HOSTILE_SEED").unwrap_or(SEED),
            from: number("POSTHASTE_HOSTILE_FROM").unwrap_or_default(),
            only: env::var("POSTHASTE_HOSTILE_ONLY").ok(),
            results: env::var_os("POSTHASTE_HOSTILE_RESULTS").map(PathBuf::from),
        }
    }

    /// How many cases of a target whose cases cost so many times the usual.
    pub(crate) fn cases(&self, cost: u64) -> u64 {
        self.cases.unwrap_or(CASES / cost.max(1))
    }
}
