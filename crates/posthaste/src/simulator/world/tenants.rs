//! Tenants of one destination: one with very many messages beside one with a single one, one that is limited over all workers, and one that
//! is paused.

use super::*;
use crate::destination::{Destination, Rate};
use crate::message::Message;

/// Runs that may be with the sink at once.
const IN_FLIGHT: usize = 4;
/// Of each tenant whose rate is limited.
const BURST: u32 = 6;
/// How long a rate is watched, and when that begins: everyone has its partitions by then.
const WATCHED: Duration = Duration::from_secs(20);
const SETTLED: Duration = Duration::from_secs(10);

/// How a small tenant fared behind a large one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delay {
    /// Messages of the large one that arrived between the small one's commit and its arrival.
    pub overtaken_by: usize,
    /// Messages of the large one that arrived in all.
    pub large: usize,
    /// What went wrong; empty when the engine is right.
    pub violations: Vec<Violation>,
}

/// How fast a limited tenant was served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pacing {
    /// The most that arrived within any second, once all workers had their partitions.
    pub most_in_a_second: usize,
    /// What arrived while it was watched.
    pub arrived: usize,
    /// For how many seconds that was.
    pub seconds: u64,
    /// What went wrong; empty when the engine is right.
    pub violations: Vec<Violation>,
}

/// How a tenant fared behind one that is paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// How long the message of the other tenant took.
    pub beside: Option<Duration>,
    /// Messages of the paused one that arrived before it was resumed.
    pub before: usize,
    /// Messages of the paused one that arrived in all.
    pub arrived: usize,
    /// How long after the resume the last of them arrived.
    pub caught_up_after: Duration,
    /// What went wrong; empty when the engine is right.
    pub violations: Vec<Violation>,
}

/// When the message beside the paused tenant is written, and when that one is resumed.
const BESIDE: Duration = Duration::from_secs(60);
const RESUMED: Duration = Duration::from_secs(120);

impl World {
    pub(in crate::simulator) fn with_tenants(messages: usize) -> Self {
        let mut plan = Plan::calm(vec![Destination::new("app").max_in_flight(IN_FLIGHT).max_run(1)]);
        plan.give_up = Duration::from_secs(3600);
        (plan.window, plan.read_batch) = (messages, messages);
        let mut world = Self::of(plan, Dice::new(1), None);
        world.at(Duration::ZERO, 0, Event::Start);
        let second = Duration::from_secs(1);
        let flood = (0..messages).map(|_| world.message_of("large", "order.plain")).collect();
        world.at(second, 0, Event::Commit(flood));
        let single = world.message_of("small", "mail.plain");
        world.at(2 * second, 0, Event::Commit(vec![single]));
        world.at(3 * second, 0, Event::Drained);
        world
    }

    pub(in crate::simulator) fn delay(mut self) -> Delay {
        let arrived = self.arrivals();
        let small = arrived.iter().find(|(_, kind, _)| kind == "mail.plain").map(|(.., at)| *at);
        let of_large = || arrived.iter().filter(|(_, kind, _)| kind == "order.plain").map(|(.., at)| *at);
        let between = |at: &Duration| *at > Duration::from_secs(2) && small.is_none_or(|small| *at < small);
        Delay {
            overtaken_by: of_large().filter(between).count(),
            large: of_large().count(),
            violations: self.checks.violations,
        }
    }

    pub(in crate::simulator) fn with_limit(workers: usize, per_second: u32) -> Self {
        let rate = Rate { per_second: per_second.into(), burst: BURST };
        let mut plan = Plan::calm(vec![Destination::new("app").tenant_rate(rate).max_run(1)]);
        plan.workers = workers;
        plan.give_up = Duration::from_secs(3600);
        let mut world = Self::of(plan, Dice::new(1), None);
        for worker in 0..workers {
            world.at(Duration::ZERO, worker, Event::Start);
        }
        let messages = per_second as usize * (SETTLED + 2 * WATCHED).as_secs() as usize;
        let flood = (0..messages).map(|_| world.message_of("large", "order.plain")).collect();
        world.at(Duration::from_secs(2), 0, Event::Commit(flood));
        world.at(SETTLED + WATCHED, 0, Event::Drained);
        world
    }

    pub(in crate::simulator) fn pacing(mut self) -> Pacing {
        let watched = SETTLED..SETTLED + WATCHED;
        let times: Vec<Duration> = self.arrivals().into_iter().map(|(.., at)| at).collect();
        let within =
            |from: Duration, length: Duration| times.iter().filter(|at| (from..from + length).contains(*at)).count();
        let second = Duration::from_secs(1);
        let starts = times.iter().filter(|at| watched.contains(*at));
        Pacing {
            most_in_a_second: starts.map(|at| within(*at, second)).max().unwrap_or_default(),
            arrived: within(SETTLED, WATCHED),
            seconds: WATCHED.as_secs(),
            violations: self.checks.violations,
        }
    }

    /// A key for each message is the worst case: nothing waits in the shadow of another one. There are many more than fit into memory.
    pub(in crate::simulator) fn with_paused_tenant(messages: usize) -> Self {
        let mut plan = Plan::calm(vec![Destination::new("app")]);
        (plan.window, plan.read_batch) = (messages / 10, messages / 50);
        plan.give_up = Duration::from_secs(3600);
        let mut world = Self::of(plan, Dice::new(1), None);
        clients::pause_tenant(&"app".into(), "a", &mut world.store.core);
        world.at(Duration::ZERO, 0, Event::Start);
        let flood = (0..messages).map(|_| world.message_of("a", "order.plain")).map(|message| {
            let key = Some(message.id.to_string().as_str().into());
            Message { key, ..message }
        });
        let flood = flood.collect();
        world.at(Duration::from_secs(1), 0, Event::Commit(flood));
        let beside = world.message_of("b", "mail.plain");
        world.at(BESIDE, 0, Event::Commit(vec![beside]));
        world.at(RESUMED, 0, Event::Drained);
        world
    }

    pub(in crate::simulator) fn pause(mut self) -> Pause {
        let arrived = self.arrivals();
        let beside = arrived.iter().find(|(_, kind, _)| kind == "mail.plain").map(|(.., at)| *at - BESIDE);
        let of_paused = || arrived.iter().filter(|(_, kind, _)| kind == "order.plain").map(|(.., at)| *at);
        Pause {
            beside,
            before: of_paused().filter(|at| *at < RESUMED).count(),
            arrived: of_paused().count(),
            caught_up_after: of_paused().max().unwrap_or_default().saturating_sub(RESUMED),
            violations: self.checks.violations,
        }
    }

    fn message_of(&mut self, tenant: &str, event_type: &str) -> Message {
        let mut message = self.message(event_type);
        message.tenant = Some(tenant.into());
        message
    }
}
