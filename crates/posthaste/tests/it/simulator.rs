//! The simulator itself: it repeats itself, it finds nothing wrong with the engine, and it would find what is wrong.
//!
//! `cargo xtask sim` runs it in earnest; these are few enough schedules for a debug build.

use posthaste::testkit::simulator::{self, Planted};

#[test]
fn the_same_seed_gives_the_same_schedule() {
    for seed in [1, 2, 77, 4_711, u64::MAX] {
        assert_eq!(simulator::run(seed, None), simulator::run(seed, None), "seed {seed}");
    }
}

#[test]
fn different_seeds_give_different_schedules() {
    let digests: std::collections::HashSet<u64> = (0..50).map(|seed| simulator::run(seed, None).digest).collect();
    assert_eq!(digests.len(), 50);
}

#[test]
fn the_engine_keeps_its_guarantees_in_a_thousand_schedules() {
    for seed in 0..1_000 {
        let outcome = simulator::run(seed, None);
        assert!(
            outcome.violations.is_empty(),
            "{:?}; replay: cargo xtask sim --seed {seed} --trace",
            outcome.violations
        );
    }
}

/// Those that show themselves often; `cargo xtask sim` hunts all of them.
#[test]
fn most_planted_mistakes_are_caught_within_two_hundred_schedules() {
    let planted = Planted::all();
    let missed: Vec<_> = planted.iter().filter(|planted| simulator::hunt(**planted, 1, 200).is_none()).collect();
    assert!(missed.len() * 3 <= planted.len(), "missed {missed:?}");
}
