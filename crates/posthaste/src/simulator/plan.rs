//! What one schedule looks like: how many workers, keys and messages, and which faults how often.

use std::time::Duration;

use super::dice::Dice;
use crate::destination::{Destination, Name, Rate, Route};
use crate::journal::WorkerId;
use crate::retry::{Backoff, OnDead, Policy};
use crate::settings::Settings;

/// Faults stop here in most schedules; whatever is left must drain.
const FAULTS_END: Duration = Duration::from_secs(4);
/// Faults stop here in schedules about workers that are killed from outside, again and again.
const KILLS_END: Duration = Duration::from_secs(20);
/// Whatever has not drained by now never will.
const GIVE_UP: Duration = Duration::from_secs(60);
pub(super) const LEASE_TTL: Duration = Duration::from_millis(900);
const PARTITIONS: u16 = 3;
pub(super) const MAX_ATTEMPTS: u32 = 3;
/// The destination that gets what dies at the first one, in some schedules.
pub(super) const DEAD_LETTERS: &str = "dead";
/// So many of a hundred schedules are about two workers and one key; more would cost too much, for they have many messages.
const CONTENDED: u64 = 1;
/// So many of a hundred schedules are about workers that are killed from outside, again and again.
const BESIEGED: u64 = 2;
/// So many of a hundred schedules have other sizes than usual.
const SWARM: u64 = 25;
/// Messages a lane may hold before it stops reading, and messages per read: the memory bound follows from these.
const WINDOW: usize = 6;
const READ_BATCH: usize = 5;

/// The parameters of one schedule, drawn from its seed. Percentages are per event.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) workers: usize,
    pub(super) transactions: usize,
    /// A transaction with more messages than a worker may have in memory.
    pub(super) flood: u64,
    pub(super) keys: u64,
    pub(super) rollback: u64,
    pub(super) lost_request: u64,
    pub(super) lost_reply: u64,
    /// A request that takes long to reach the store.
    pub(super) slow_request: u64,
    /// A request that the worker gives up, and that is carried out at some time or other.
    pub(super) time_out: u64,
    pub(super) lost_ack: u64,
    pub(super) nack: u64,
    pub(super) slow: u64,
    /// A receiver that answers late, twice, never, or that it failed.
    pub(super) odd_answers: u64,
    pub(super) outages: usize,
    pub(super) crashes: usize,
    pub(super) freezes: usize,
    pub(super) clock_jumps: usize,
    /// Each jump ends every lease.
    pub(super) forward_jumps: bool,
    /// How often a replica of the store takes over, which may not have everything.
    pub(super) failovers: usize,
    pub(super) graceful_stops: usize,
    pub(super) operator_actions: usize,
    pub(super) poison: u64,
    pub(super) killers: usize,
    pub(super) scheduled: u64,
    pub(super) hints: bool,
    pub(super) destinations: Vec<Destination>,
    /// How much of what was read is kept for other destinations.
    pub(super) tail_bytes: usize,
    /// How many runs the sinks want in one hand-over.
    pub(super) runs_at_once: usize,
    /// Faults stop here; whatever is left must drain.
    pub(super) faults_end: Duration,
    /// Whatever has not drained by now never will.
    pub(super) give_up: Duration,
    /// Messages a lane may hold before it stops reading, and messages per read: the memory bound follows from these.
    pub(super) window: usize,
    pub(super) read_batch: usize,
    pub(super) partitions: u16,
    /// How often an idle worker asks for new messages.
    pub(super) poll_interval: Duration,
    /// A worker that died comes back within so many milliseconds.
    pub(super) longest_absence: u64,
}

impl Plan {
    /// One worker and no fault at all, with room for many messages.
    pub(super) fn calm(destinations: Vec<Destination>) -> Self {
        Self {
            workers: 1,
            transactions: 0,
            flood: 0,
            keys: 1,
            rollback: 0,
            lost_request: 0,
            lost_reply: 0,
            slow_request: 0,
            time_out: 0,
            lost_ack: 0,
            nack: 0,
            slow: 0,
            odd_answers: 0,
            outages: 0,
            crashes: 0,
            freezes: 0,
            clock_jumps: 0,
            forward_jumps: false,
            graceful_stops: 0,
            failovers: 0,
            operator_actions: 0,
            poison: 0,
            killers: 0,
            scheduled: 0,
            hints: true,
            destinations,
            tail_bytes: 1 << 20,
            runs_at_once: 1,
            faults_end: FAULTS_END,
            give_up: GIVE_UP,
            window: 1_000,
            read_batch: 500,
            partitions: PARTITIONS,
            poll_interval: Duration::from_millis(120),
            longest_absence: 1_500,
        }
    }

    /// Draws a schedule. With `contended`, it is one about two workers and one key.
    pub(super) fn draw(dice: &mut Dice, contended: bool) -> Self {
        // Most schedules are calm in most respects, so that each fault also appears nearly alone.
        let mut sometimes = |chance: u64, most: u64| if dice.percent(chance) { 1 + dice.below(most) } else { 0 };
        let mut plan = Self {
            rollback: sometimes(50, 30),
            lost_request: sometimes(30, 10),
            lost_reply: sometimes(40, 15),
            slow_request: sometimes(20, 25),
            time_out: sometimes(50, 10),
            lost_ack: sometimes(40, 25),
            nack: sometimes(50, 25),
            slow: sometimes(40, 20),
            odd_answers: sometimes(60, 40),
            outages: sometimes(30, 2) as usize,
            crashes: sometimes(40, 3) as usize,
            freezes: sometimes(30, 2) as usize,
            clock_jumps: sometimes(15, 2) as usize,
            failovers: sometimes(10, 2) as usize,
            graceful_stops: sometimes(20, 2) as usize,
            operator_actions: sometimes(35, 6) as usize,
            poison: sometimes(40, 10),
            killers: sometimes(10, 1) as usize,
            scheduled: sometimes(20, 15),
            flood: sometimes(8, 30),
            transactions: 6 + dice.below(12) as usize,
            workers: 1 + dice.below(3) as usize,
            keys: 1 + dice.below(5),
            tail_bytes: if dice.percent(50) { 1 << 20 } else { 2_000 },
            runs_at_once: if dice.percent(60) { 2 + dice.below(4) as usize } else { 1 },
            hints: dice.percent(70),
            window: WINDOW,
            read_batch: READ_BATCH,
            ..Self::calm(Vec::new())
        };
        if dice.percent(CONTENDED) || contended {
            plan.contend();
        } else if dice.percent(BESIEGED) {
            plan.besiege(dice);
        }
        if dice.percent(SWARM) {
            plan.resize(dice);
        }
        plan.destinations = plan.draw_destinations(dice);
        // A death that is gone with the store happens again, and so does its letter: the letters could not be counted.
        if plan.destinations.iter().any(|dest| dest.dead_letters_to.is_some()) {
            plan.failovers = 0;
        }
        plan
    }

    /// Two workers, one key with many messages that fail often, and a store whose clock takes leases away early: whoever had them goes on for a
    /// moment, beside the one who has them now.
    fn contend(&mut self) {
        *self = Self {
            workers: 2,
            keys: 1,
            flood: 30,
            nack: 25,
            clock_jumps: 6,
            forward_jumps: true,
            poison: 0,
            killers: 0,
            scheduled: 0,
            time_out: 0,
            ..self.clone()
        };
    }

    /// Each worker is killed about once in one and a half leases, for a long time, whatever it does: nobody may be taken for a killer
    /// because of that. The store is fast, as it is in life: an attempt takes a small part of the time between two kills.
    fn besiege(&mut self, dice: &mut Dice) {
        *self = Self {
            faults_end: KILLS_END,
            crashes: self.workers * (5 + dice.below(10) as usize),
            freezes: dice.below(10) as usize,
            slow_request: 0,
            time_out: 0,
            ..self.clone()
        };
    }

    /// Other sizes than usual: settings that nobody would choose meet each other, too.
    fn resize(&mut self, dice: &mut Dice) {
        self.window = 1 + dice.below(12) as usize;
        self.read_batch = 1 + dice.below(8) as usize;
        self.partitions = 1 + dice.below(5) as u16;
        self.poll_interval = dice.millis(20, 400);
    }

    /// By how many milliseconds the store's clock jumps.
    pub(super) fn draw_jump(&self, dice: &mut Dice) -> i64 {
        if self.forward_jumps {
            return LEASE_TTL.as_millis() as i64;
        }
        dice.millis(0, 3_000).as_millis() as i64 - 1_500
    }

    fn draw_destinations(&self, dice: &mut Dice) -> Vec<Destination> {
        let ms = Duration::from_millis;
        let backoff = match dice.below(3) {
            0 => Backoff::Exponential { first: ms(20), cap: ms(200), jitter: ms(50) },
            1 => Backoff::Linear { step: ms(50), cap: ms(500) },
            _ => Backoff::List(vec![ms(0), ms(100)]),
        };
        let on_dead = if dice.percent(50) { OnDead::Block } else { OnDead::Skip };
        let policy = Policy { max_attempts: MAX_ATTEMPTS, backoff, on_dead };
        let mut first = Destination::new("first").policy(policy.clone());
        first.max_in_flight = 1 + dice.below(8) as usize;
        first.max_run = 1 + dice.below(5) as usize;
        first.timeout = ms(250);
        if dice.percent(20) {
            first.tenant_rate = Some(Rate { per_second: 20.0, burst: 2 });
        }
        if dice.percent(10) {
            first.rate = Some(Rate { per_second: 100.0, burst: 3 });
        }
        if dice.percent(15) {
            first.batch_delay = ms(30);
        }
        let mut destinations = vec![first];
        if dice.percent(25) {
            let route = Route::matching(["order.*"]);
            destinations.push(Destination {
                timeout: ms(250),
                ..Destination::new("second").route(route).policy(policy.clone())
            });
        }
        if dice.percent(30) {
            destinations[0].dead_letters_to = Some(DEAD_LETTERS.into());
            let letters = Destination::new(DEAD_LETTERS).route(Route::named_only()).policy(policy);
            destinations.push(Destination { timeout: ms(250), ..letters });
        }
        destinations[0].resumes = dice.percent(10);
        if dice.percent(15) {
            destinations[0].callback_timeout = Some(ms(300));
        }
        destinations
    }

    /// Whether receivers at this destination say what became of what they were handed.
    pub(super) fn has_callbacks(&self, name: &Name) -> bool {
        self.destinations.iter().any(|dest| dest.name == *name && dest.callback_timeout.is_some())
    }

    /// The settings of the n-th worker that was ever started.
    pub(super) fn settings(&self, nth: usize) -> Settings {
        Settings {
            worker: WorkerId(format!("worker-{nth}")),
            lease_ttl: LEASE_TTL,
            poll_interval: self.poll_interval,
            window_messages: self.window,
            read_batch: self.read_batch,
            commit_interval: Duration::from_millis(5),
            commit_batch: 4,
            max_worker_deaths: 3,
            stop_timeout: Duration::from_millis(400),
            retention: None,
            ..Settings::default()
        }
    }
}
