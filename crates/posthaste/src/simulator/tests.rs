//! The simulator itself: it repeats itself, it finds nothing wrong with the engine, and it would find what is wrong.
//!
//! `cargo xtask sim` runs it in earnest; these are few enough schedules for a debug build.

use std::collections::HashSet;
use std::time::Duration;

use posthaste::simulator::exhaustive::{Exploration, SmallWorld};
use posthaste::simulator::{self, Listed, Planted};

/// Unless `POSTHASTE_SCHEDULES` says otherwise.
const SCHEDULES: u64 = 600;

/// Schedules after which a planted mistake counts as missed. The rarest shows itself in one of 3,000.
const HUNT: u64 = 20_000;

#[test]
fn the_same_seed_gives_the_same_schedule() {
    for seed in [1, 2, 77, 4_711, u64::MAX] {
        assert_eq!(simulator::run(seed, None), simulator::run(seed, None), "seed {seed}");
    }
}

/// An outage is one piece of news, however much waits behind it; and nobody waits for the news.
#[test]
fn an_hour_of_outage_with_100_000_messages_makes_three_notices_that_delay_nothing() {
    let [told, untold] = [true, false].map(|told| simulator::hour_of_outage(100_000, told));
    assert_eq!((told.violations.as_slice(), untold.violations.as_slice()), (&[][..], &[][..]));
    let types = ["posthaste.outage.began", "posthaste.outage.still", "posthaste.outage.over"];
    assert_eq!((told.notices.as_slice(), untold.notices.len()), (&types.map(String::from)[..], 0));
    let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
    assert!(told.caught_up > hour && told.caught_up < untold.caught_up + second, "{told:?} {untold:?}");
    assert!(told.slowest_beside < second && untold.slowest_beside < second, "{told:?} {untold:?}");
}

/// However many messages another tenant has in memory: those that are with the sink, and a turn or two.
#[test]
fn a_tenant_with_one_message_does_not_wait_for_one_with_thousands() {
    let delay = simulator::small_tenant_behind_a_large_one(5_000);
    assert_eq!((delay.violations.as_slice(), delay.large), (&[][..], 5_000));
    assert!(delay.overtaken_by <= 150, "{delay:?}: what goes on while the message is read, and then a few runs");
}

/// They fill no window, though there are many more of them, so that what comes after them is read, and they are all there when their tenant is resumed.
#[test]
fn a_paused_tenant_with_5_000_waiting_messages_delays_nobody() {
    let pause = simulator::paused_tenant(5_000);
    assert_eq!((pause.violations.as_slice(), pause.before, pause.arrived), (&[][..], 0, 5_000));
    assert!(pause.beside.is_some_and(|took| took < Duration::from_secs(1)), "{pause:?}");
}

#[test]
fn the_limit_of_a_tenant_holds_over_all_workers() {
    for workers in 1..=3 {
        let pacing = simulator::limited_tenant(workers, 20);
        assert!(pacing.violations.is_empty(), "{pacing:?}");
        let most = 20 * pacing.seconds as usize;
        assert!(pacing.arrived <= most + 6, "{workers} workers: {pacing:?}");
        assert!(pacing.arrived >= most / 2, "{workers} workers: {pacing:?}");
        assert!(pacing.most_in_a_second <= 20 + 6 + workers, "{workers} workers: {pacing:?}");
    }
}

#[test]
fn different_seeds_give_different_schedules() {
    let digests: HashSet<u64> = (0..50).map(|seed| simulator::run(seed, None).digest).collect();
    assert_eq!(digests.len(), 50);
}

#[test]
fn the_engine_keeps_its_guarantees_in_every_schedule() {
    let wanted = std::env::var("POSTHASTE_SCHEDULES").map_or(SCHEDULES, |number| number.parse().expect("a number"));
    for seed in 0..wanted {
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

/// One fault or intervention in each schedule, at every place where it matters.
#[test]
fn every_schedule_of_the_small_worlds_with_a_single_fault_keeps_the_guarantees() {
    for world in SmallWorld::ALL.iter().filter(|world| world.name != "killers") {
        let exploration = Exploration { world, depth: 1, planted: None };
        let (explored, parts) = exploration.begin();
        let walked = parts.into_iter().flat_map(|part| exploration.walk(part).violations);
        let violations: Vec<_> = explored.violations.into_iter().chain(walked).collect();
        assert!(violations.is_empty(), "{}: {violations:?}", world.name);
    }
}

#[test]
fn a_schedule_of_a_small_world_can_be_run_again_by_its_choices() {
    let world = SmallWorld::named("failures").unwrap();
    let exploration = Exploration { world, depth: 2, planted: Some(Planted::all()[0]) };
    let (_, parts) = exploration.begin();
    let found = parts.into_iter().find_map(|part| exploration.walk(part).violations.pop());
    let (violation, listed) = found.expect("the mistake is found");
    let again: Listed = listed.to_string().parse().unwrap();
    assert!(exploration.trace(again, Box::new(|_| ())).violations.contains(&violation));
}
