//! Every schedule of the small worlds, up to a depth.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use posthaste::simulator::Planted;
use posthaste::simulator::exhaustive::{Exploration, Explored, SmallWorld, hunt};

use crate::options::Options;
use crate::{name, threads};

/// How deep planted mistakes are hunted unless a depth is given: all schedules are run for each that is out of reach.
const HUNT_DEPTH: usize = 1;

/// Explores and says what came of it. True if nothing is wrong.
#[expect(clippy::print_stdout, reason = "a program")]
pub(crate) fn run(options: &Options) -> bool {
    let worlds = SmallWorld::ALL.iter().filter(|world| options.world.is_none_or(|chosen| chosen.name == world.name));
    let mut rows = Vec::new();
    let mut sound = true;
    println!(
        "{:<12} {:>5} {:>12} {:>10} {:>8}  what may happen",
        "world", "depth", "schedules", "questions", "seconds"
    );
    for world in worlds {
        let depth = options.depth.unwrap_or(world.depth);
        let started = Instant::now();
        let explored = explore(Exploration { world, depth, planted: None });
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{:<12} {depth:>5} {:>12} {:>10} {seconds:>8.1}  {}",
            world.name, explored.schedules, explored.most_questions, world.about
        );
        for (violation, listed) in &explored.violations {
            println!("  {violation}: cargo xtask sim --exhaustive --world {} --choices '{listed}' --trace", world.name);
        }
        sound &= explored.violations.is_empty();
        rows.push(serde_json::json!({
            "world": world.name, "about": world.about, "depth": depth, "schedules": explored.schedules,
            "questions": explored.most_questions, "violations": explored.violations.len(), "seconds": seconds,
        }));
    }
    let (found, missed) =
        if options.planted { hunt_all(options.depth.unwrap_or(HUNT_DEPTH)) } else { Default::default() };
    if options.planted {
        let depth = options.depth.unwrap_or(HUNT_DEPTH);
        println!("planted mistakes: {} found, out of reach at depth {depth}: {missed:?}", found.len());
    }
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "worlds": rows, "hunt_depth": options.depth.unwrap_or(HUNT_DEPTH), "planted_found": found, "planted_missed": missed })
        );
    }
    sound
}

/// Runs one listed schedule and tells every step. True if nothing is wrong.
#[expect(clippy::print_stdout, reason = "a program")]
pub(crate) fn trace(options: &Options) -> Result<bool, String> {
    let world = options.world.ok_or("--trace needs --world")?;
    let exploration = Exploration { world, depth: 0, planted: None };
    let outcome = exploration.trace(options.choices.clone(), Box::new(|line| println!("{line}")));
    println!("{outcome:?}");
    Ok(outcome.violations.is_empty())
}

/// On all cores: each takes one of the schedules with a single deviation, and all below it.
fn explore(exploration: Exploration) -> Explored {
    let (explored, parts) = exploration.begin();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(explored));
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let explored = exploration.walk(part.clone());
                    all.lock().expect("no thread panics while it counts").add(explored);
                }
            });
        }
    });
    let mut explored = all.into_inner().expect("all threads have ended");
    explored.violations.sort_by_key(|(_, listed)| listed.depth());
    explored.violations.truncate(5);
    explored
}

type Found = Vec<(String, &'static str, usize)>;

/// Plants every mistake in turn, and looks where it is found.
fn hunt_all(depth: usize) -> (Found, Vec<String>) {
    let planted = Planted::all();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(planted) = planted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = hunt(*planted, depth);
                    found.lock().expect("no thread panics while it counts").push((name(*planted), place));
                }
            });
        }
    });
    let mut all = found.into_inner().expect("all threads have ended");
    all.sort();
    let missed = all.iter().filter(|(_, place)| place.is_none()).map(|(name, _)| name.clone()).collect();
    (all.into_iter().filter_map(|(name, place)| place.map(|(world, depth)| (name, world, depth))).collect(), missed)
}
