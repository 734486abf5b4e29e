//! A world of faults for the engine: seeded, deterministic, many thousand schedules a minute.
//!
//! The engine is the real one; the store is the executable specification; time, network, sinks, writers and operators are
//! simulated. A schedule draws its faults from its seed, runs some seconds of simulated time, lets the faults stop, and
//! must then drain. `checks` watches all the way. In small worlds (`exhaustive`), all schedules are run instead of drawn ones.

use std::collections::BTreeMap;

pub use self::checks::Violation;
pub use self::choices::Listed;
pub use self::planted::Planted;
use self::sources::SourceWorld;
use self::world::World;
pub use self::world::outage::Told;
pub use self::world::tenants::{Delay, Pacing, Pause};

mod checks;
mod choices;
mod clients;
mod destinations;
mod dice;
mod event;
pub mod exhaustive;
mod node;
mod plan;
mod planted;
mod sources;
mod store;
#[cfg(test)]
mod tests;
mod world;

/// What one schedule came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Messages that applications committed.
    pub committed: u64,
    /// Arrivals, repeated ones included.
    pub arrivals: u64,
    /// Arrivals of what had arrived before, by what caused them.
    pub duplicates: BTreeMap<&'static str, u64>,
    /// What went wrong; empty when the engine is right.
    pub violations: Vec<Violation>,
    /// A digest of everything that happened, in order: equal for equal seeds.
    pub digest: u64,
}

/// Runs one schedule.
pub fn run(seed: u64, planted: Option<Planted>) -> Outcome {
    let mut outcome = match planted {
        Some(planted) if planted.is_of_sources() => Outcome::default(),
        planted => World::new(seed, planted).run(),
    };
    if planted.is_none_or(Planted::is_of_sources) {
        let (events, violations, digest) = SourceWorld::new(seed, planted).run();
        outcome.committed += events;
        outcome.violations.extend(violations);
        outcome.digest = outcome.digest.rotate_left(1) ^ digest;
    }
    outcome
}

/// Runs one schedule and tells every step.
pub fn trace(seed: u64, planted: Option<Planted>, tell: Box<dyn FnMut(String)>) -> Outcome {
    let mut world = World::new(seed, planted);
    world.tell = Some(tell);
    world.run()
}

/// An hour of outage with so many messages behind it, told to somebody or not: the same world but for that.
pub fn hour_of_outage(messages: usize, told: bool) -> Told {
    World::with_outage(messages, told).told()
}

/// A tenant with one message behind another with so many.
pub fn small_tenant_behind_a_large_one(messages: usize) -> Delay {
    World::with_tenants(messages).delay()
}

/// So many workers with a limit for each tenant, and one tenant with more than that.
pub fn limited_tenant(workers: usize, per_second: u32) -> Pacing {
    World::with_limit(workers, per_second).pacing()
}

/// A tenant with so many messages that is paused for a while, beside one with a single message.
pub fn paused_tenant(messages: usize) -> Pause {
    World::with_paused_tenant(messages).pause()
}

/// How many schedules it took to catch a planted mistake, or `None` if `most` were not enough.
pub fn hunt(planted: Planted, first_seed: u64, most: u64) -> Option<u64> {
    (0..most).find(|n| !run(first_seed.wrapping_add(*n), Some(planted)).violations.is_empty()).map(|n| n + 1)
}
