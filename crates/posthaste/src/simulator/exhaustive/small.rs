//! The small worlds: what is in them, and what may go wrong there.

use std::time::Duration;

use super::super::plan::{DEAD_LETTERS, MAX_ATTEMPTS, Plan};
use crate::destination::{Destination, Rate, Route};
use crate::retry::{Backoff, OnDead, Policy};

/// A world with so little in it that all of its schedules can be tried.
#[derive(Debug)]
pub struct SmallWorld {
    /// What it is called.
    pub name: &'static str,
    /// What may happen in it, in words.
    pub about: &'static str,
    /// How deep it is explored in every CI run.
    pub depth: usize,
    plan: fn() -> Plan,
    pub(in crate::simulator) messages: &'static [Written],
}

/// One message, in a transaction of its own.
#[derive(Debug, Clone, Copy)]
pub(in crate::simulator) struct Written {
    /// Milliseconds after the start.
    pub(in crate::simulator) at: u64,
    pub(in crate::simulator) event_type: &'static str,
    pub(in crate::simulator) key: &'static str,
    /// Milliseconds after the commit.
    pub(in crate::simulator) due: Option<u64>,
}

const fn written(at: u64, event_type: &'static str, key: &'static str) -> Written {
    Written { at, event_type, key, due: None }
}

/// Two keys, four messages: the second key is beside the first, which fails.
const FOUR: &[Written] = &[
    written(20, "order.plain", "a"),
    written(20, "order.plain", "b"),
    written(25, "order.plain", "a"),
    written(150, "order.plain", "a"),
];
/// One that is refused, with one of its key behind it and one of another key beside it.
const POISONED: &[Written] =
    &[written(20, "order.poison", "a"), written(25, "order.plain", "a"), written(30, "order.plain", "b")];
const KILLING: &[Written] =
    &[written(20, "order.killer", "a"), written(25, "order.plain", "a"), written(30, "order.plain", "b")];
const SCHEDULED: &[Written] = &[
    Written { due: Some(300), ..written(20, "order.plain", "a") },
    written(25, "order.plain", "a"),
    written(25, "order.plain", "a"),
    written(30, "order.plain", "b"),
];
/// More at once than a worker may have in memory.
const FLOOD: &[Written] = &[
    written(20, "order.plain", "a"),
    written(20, "order.plain", "a"),
    written(20, "order.plain", "b"),
    written(20, "order.plain", "b"),
    written(20, "order.plain", "c"),
];

impl SmallWorld {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "failures",
            about: "negative and lost acknowledgements, slow ones",
            depth: 4,
            plan: failures,
            messages: FOUR,
        },
        Self {
            name: "skips",
            about: "the same, where a dead message does not block its key",
            depth: 3,
            plan: skips,
            messages: POISONED,
        },
        Self {
            name: "callbacks",
            about: "receivers that answer late, twice, never or with a failure; workers that die, answers of the store lost",
            depth: 2,
            plan: callbacks,
            messages: FOUR,
        },
        Self {
            name: "requests",
            about: "requests and answers of the store lost, late, given up",
            depth: 2,
            plan: requests,
            messages: FOUR,
        },
        Self { name: "deaths", about: "workers that die, freeze and stop", depth: 2, plan: deaths, messages: FOUR },
        Self {
            name: "killers",
            about: "a message that takes its worker down, other deaths beside it",
            depth: 1,
            plan: killers,
            messages: KILLING,
        },
        Self {
            name: "clocks",
            about: "a store whose clock jumps, and failures",
            depth: 2,
            plan: clocks,
            messages: FOUR,
        },
        Self {
            name: "failovers",
            about: "a replica that takes over and lacks the newest",
            depth: 2,
            plan: failovers,
            messages: FOUR,
        },
        Self {
            name: "operators",
            about: "replays, discards, pauses, on dead and delivered messages",
            depth: 2,
            plan: operators,
            messages: POISONED,
        },
        Self { name: "outages", about: "destinations that are not there", depth: 3, plan: outages, messages: FOUR },
        Self {
            name: "letters",
            about: "dead letters, with requests and answers lost",
            depth: 2,
            plan: letters,
            messages: POISONED,
        },
        Self {
            name: "rates",
            about: "scheduled messages and a limit of rate",
            depth: 2,
            plan: rates,
            messages: SCHEDULED,
        },
        Self {
            name: "memory",
            about: "more messages than the window holds, one of them failing",
            depth: 4,
            plan: memory,
            messages: FLOOD,
        },
        Self { name: "everything", about: "all of it at once", depth: 1, plan: everything, messages: POISONED },
    ];

    /// The world of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|world| world.name == name)
    }

    pub(in crate::simulator) fn plan(&self) -> Plan {
        (self.plan)()
    }
}

fn destination(on_dead: OnDead) -> Destination {
    let backoff = Backoff::List(vec![Duration::from_millis(0), Duration::from_millis(100)]);
    let mut first = Destination::new("first").policy(Policy { max_attempts: MAX_ATTEMPTS, backoff, on_dead });
    (first.max_in_flight, first.max_run, first.timeout) = (3, 3, Duration::from_millis(250));
    first
}

/// Two workers, one partition, and nothing that goes wrong.
fn quiet(on_dead: OnDead) -> Plan {
    Plan {
        workers: 2,
        keys: 2,
        partitions: 1,
        window: 6,
        read_batch: 5,
        hints: false,
        poll_interval: Duration::from_millis(250),
        faults_end: Duration::from_millis(1_800),
        forward_jumps: true,
        longest_absence: 50,
        ..Plan::calm(vec![destination(on_dead)])
    }
}

fn failures() -> Plan {
    let faults_end = Duration::from_millis(800);
    Plan { nack: 1, lost_ack: 1, slow: 1, runs_at_once: 2, faults_end, ..quiet(OnDead::Block) }
}

fn skips() -> Plan {
    Plan { nack: 1, lost_ack: 1, slow: 1, crashes: 1, ..quiet(OnDead::Skip) }
}

fn callbacks() -> Plan {
    let first = destination(OnDead::Block).callback_timeout(Duration::from_millis(300));
    Plan { odd_answers: 1, crashes: 1, lost_reply: 1, nack: 1, destinations: vec![first], ..quiet(OnDead::Block) }
}

fn requests() -> Plan {
    let faults_end = Duration::from_millis(1_200);
    Plan { lost_request: 1, lost_reply: 1, slow_request: 1, time_out: 1, nack: 1, faults_end, ..quiet(OnDead::Block) }
}

fn deaths() -> Plan {
    Plan { crashes: 2, freezes: 2, graceful_stops: 2, nack: 1, slow: 1, ..quiet(OnDead::Block) }
}

fn killers() -> Plan {
    Plan { crashes: 2, freezes: 1, graceful_stops: 1, faults_end: Duration::from_millis(6_000), ..quiet(OnDead::Block) }
}

fn clocks() -> Plan {
    Plan { clock_jumps: 2, nack: 1, lost_ack: 1, slow: 1, ..quiet(OnDead::Block) }
}

fn failovers() -> Plan {
    Plan { failovers: 1, nack: 1, ..quiet(OnDead::Block) }
}

fn operators() -> Plan {
    Plan { operator_actions: 2, nack: 1, ..quiet(OnDead::Block) }
}

fn outages() -> Plan {
    Plan { outages: 2, nack: 1, crashes: 1, ..quiet(OnDead::Block) }
}

fn letters() -> Plan {
    let mut first = destination(OnDead::Block);
    first.dead_letters_to = Some(DEAD_LETTERS.into());
    let letters = Destination { name: DEAD_LETTERS.into(), ..destination(OnDead::Block).route(Route::named_only()) };
    let destinations = vec![first, letters];
    Plan { lost_request: 1, lost_reply: 1, time_out: 1, crashes: 1, destinations, ..quiet(OnDead::Block) }
}

fn rates() -> Plan {
    let mut first = destination(OnDead::Block);
    first.tenant_rate = Some(Rate { per_second: 20.0, burst: 1 });
    Plan { nack: 1, crashes: 1, lost_reply: 1, destinations: vec![first], ..quiet(OnDead::Block) }
}

fn memory() -> Plan {
    Plan { window: 1, read_batch: 1, nack: 1, slow: 1, ..quiet(OnDead::Block) }
}

fn everything() -> Plan {
    Plan {
        lost_request: 1,
        lost_reply: 1,
        slow_request: 1,
        time_out: 1,
        lost_ack: 1,
        nack: 1,
        slow: 1,
        outages: 1,
        crashes: 1,
        freezes: 1,
        clock_jumps: 1,
        failovers: 1,
        graceful_stops: 1,
        operator_actions: 1,
        ..quiet(OnDead::Block)
    }
}
