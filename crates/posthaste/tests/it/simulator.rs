//! The simulator itself: it repeats itself, it finds nothing wrong with the engine, and it would find what is wrong.
//!
//! `cargo xtask sim` runs it in earnest; these are few enough schedules for a debug build.

use std::collections::HashSet;

use posthaste::simulator::{self, Planted};

const SCHEDULES: u64 = 600;

/// Schedules after which a planted mistake counts as missed.
const HUNT: u64 = 20_000;

#[test]
fn the_same_seed_gives_the_same_schedule() {
    for seed in [1, 2, 77, 4_711, u64::MAX] {
        assert_eq!(simulator::run(seed, None), simulator::run(seed, None), "seed {seed}");
    }
}

#[test]
fn different_seeds_give_different_schedules() {
    let digests: HashSet<u64> = (0..50).map(|seed| simulator::run(seed, None).digest).collect();
    assert_eq!(digests.len(), 50);
}

#[test]
fn the_engine_keeps_its_guarantees_in_every_schedule() {
    for seed in 0..SCHEDULES {
        let violations = simulator::run(seed, None).violations;
        assert!(violations.is_empty(), "{violations:?}; replay: cargo xtask sim --seed {seed} --trace");
    }
}

/// Most show themselves in the first dozen; a run that is handed over a moment too late takes the longest.
#[test]
fn every_planted_mistake_is_caught() {
    let uncaught = |planted: &Planted| simulator::hunt(*planted, 1, HUNT).is_none();
    let missed: Vec<Planted> = Planted::all().into_iter().filter(uncaught).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
