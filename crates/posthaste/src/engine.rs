//! The engine without its surroundings: a state machine that is told what happened and says what to do.
//!
//! It reads no clock, awaits nothing and draws no random numbers; a seed and the time are given to it. The tokio shell in
//! `worker` runs it against real stores and sinks, the simulator in `testkit` against a world of faults.

use std::time::Duration;

pub(crate) use self::destination::RunId;
use self::destination::{Look, Walk};
use self::lane::Suspects;
use self::leases::Leases;
use self::mistakes::{Mistake, Mistakes};
pub use self::protocol::{Action, Event, Failed, Input};
pub use self::snapshot::{DestinationSnapshot, Snapshot};
use crate::destination::Destination;
use crate::error::Result;
use crate::journal::{Grant, LaneState, Lease, Partition, Position, Purged, WorkerReport};
use crate::settings::Settings;

mod destination;
mod lane;
mod leases;
pub(crate) mod mistakes;
mod protocol;
mod snapshot;

/// Whoever holds this partition removes old messages.
const HOUSEKEEPING: Partition = Partition::new(0);
/// How many messages one purge removes before others get their turn.
const PURGE_LIMIT: usize = 1_000;
/// The shortest pause between two looks for new messages.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);
/// A worker that lags behind wants nothing new, but looks this often: an operator may have asked for something.
const LAGGING_LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A question that failed is asked again after this long.
const RETRY: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    mistakes: Mistakes,
    leases: Leases,
    walks: Vec<Walk>,
    front: Option<Position>,
    looking: bool,
    look_at: Duration,
    /// The last look failed and may have taken a hint along, so the next one waits for none.
    hint_lost: bool,
    next_run: RunId,
    /// Lanes that still have to be opened, by walk.
    to_open: Vec<(usize, Vec<Lease>)>,
    open_at: Duration,
    purge_at: Option<Duration>,
    purging: bool,
    stopping_since: Option<Duration>,
    leaving: bool,
    stopped: bool,
    actions: Vec<Action>,
    events: Vec<Event>,
}

impl Engine {
    /// An engine for a journal of so many partitions. The seed feeds the jitter of retries.
    pub fn new(
        settings: Settings,
        destinations: Vec<Destination>,
        partitions: u16,
        seed: u64,
        mistakes: Mistakes,
    ) -> Self {
        let walk = |(index, dest)| Walk::new(index, dest, settings.clone(), seed ^ index as u64, mistakes);
        let first_purge = if settings.purge_on_start { Duration::ZERO } else { settings.purge_interval };
        Self {
            leases: Leases::new(settings.lease_ttl, partitions, mistakes),
            walks: destinations.into_iter().enumerate().map(walk).collect(),
            front: None,
            looking: false,
            look_at: Duration::ZERO,
            hint_lost: false,
            next_run: 0,
            to_open: Vec::new(),
            open_at: Duration::ZERO,
            purge_at: settings.retention.map(|_| first_purge),
            purging: false,
            stopping_since: None,
            leaving: false,
            stopped: false,
            actions: Vec::new(),
            events: Vec::new(),
            settings,
            mistakes,
        }
    }

    /// Takes note of what happened.
    pub fn handle(&mut self, now: Duration, input: Input) {
        match input {
            Input::Leased { asked_at, result } => self.leased(asked_at, result),
            Input::Renewed { asked_at, leases, result } => self.renewed(now, asked_at, &leases, result),
            Input::Released { leases, leaving, .. } => {
                leases.iter().for_each(|lease| self.drop_lease(*lease));
                self.stopped |= leaving;
            }
            Input::Looked { result } => self.looked(now, result),
            Input::Opened { walk, leases, result } => self.opened(now, walk, leases, result),
            Input::Read { walk, lanes, result } => self.walks[walk].read(now, lanes, result),
            Input::KeyRead { walk, lane, line, held, asked_at, result } => {
                self.walks[walk].key_read(now, lane, line, &held, asked_at, result);
            }
            Input::Due { walk, lanes, limit, asked_at, result } => {
                self.walks[walk].due(now, &lanes, limit, asked_at, result);
            }
            Input::Delivered { walk, id, outcome, took } => {
                self.walks[walk].delivered(now, id, outcome, took, &mut self.events);
            }
            Input::Withheld { walk, id } => self.walks[walk].withheld(id),
            Input::Committed { walk, result } => {
                for (partition, epoch) in self.walks[walk].committed(now, result) {
                    self.lose(Lease { partition, epoch, expired_before: false });
                }
            }
            Input::Probed { walk, result } => self.walks[walk].probed(now, result, &mut self.events),
            // A pause that was not stored ends with the next grant, and the destination says it again.
            Input::Paused { .. } => {}
            Input::Purged { result } => self.purged(now, result),
            Input::Stop => {
                self.stopping_since.get_or_insert(now);
                self.walks.iter_mut().for_each(Walk::stop);
            }
        }
    }

    /// Everything to be done now.
    pub fn poll(&mut self, now: Duration) -> Vec<Action> {
        for lease in self.leases.expired(now) {
            self.lose(lease);
        }
        self.plan_leases(now);
        self.plan_opens(now);
        self.plan_look(now);
        // What was read is taken in only after more was asked for, at the next poll, which is at once: the store reads while
        // the lanes are busy.
        if self.stopping_since.is_none() && self.walks.iter().any(Walk::has_arrived) {
            self.each_walk(now, Walk::plan_reads);
            if !self.actions.is_empty() {
                return std::mem::take(&mut self.actions);
            }
        }
        self.each_walk(now, Walk::look);
        self.plan_purge(now);
        self.plan_stop(now);
        std::mem::take(&mut self.actions)
    }

    fn each_walk(&mut self, now: Duration, act: fn(&mut Walk, &mut Look<'_>)) {
        let mut suspects = Suspects::default();
        self.walks.iter().for_each(|walk| walk.add_suspects(&mut suspects));
        for walk in &mut self.walks {
            let mut look = Look {
                now,
                front: self.front.unwrap_or_default(),
                leases: &self.leases,
                stopping: self.stopping_since.is_some(),
                suspects: &mut suspects,
                next_run: &mut self.next_run,
                actions: &mut self.actions,
                events: &mut self.events,
            };
            act(walk, &mut look);
        }
    }

    /// When to poll again at the latest although nothing happens.
    pub fn wake_at(&self, now: Duration) -> Option<Duration> {
        let stopping = self.stopping_since.is_some();
        let walks = self.walks.iter().filter_map(|walk| walk.wake_at(now, stopping));
        let limits = [self.settings.stop_timeout, 2 * self.settings.stop_timeout];
        let stop =
            self.stopping_since.and_then(|since| limits.into_iter().map(|limit| since + limit).find(|at| *at > now));
        let purge = self.purge_at.filter(|_| !stopping && !self.purging && self.leases.holds(HOUSEKEEPING));
        let look = self.next_look().filter(|_| !self.looking).map(|(at, _)| at);
        let open = (!stopping && !self.to_open.is_empty() && self.front.is_some()).then_some(self.open_at);
        walks.chain(stop).chain(purge).chain(look).chain(open).chain(self.leases.wake_at(stopping)).min()
    }

    /// Everything is given back.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot { partitions: self.leases.len(), destinations: self.walks.iter().map(Walk::snapshot).collect() }
    }

    /// Messages in memory that are not settled.
    pub fn unsettled(&self) -> usize {
        self.walks.iter().map(Walk::unsettled).sum()
    }

    fn leased(&mut self, asked_at: Duration, result: Result<Grant>) {
        self.leases.leasing = false;
        let Ok(mut grant) = result else { return };
        for walk in &mut self.walks {
            walk.paused = grant.paused.contains(&walk.dest.name);
        }
        for lease in &mut grant.leases {
            lease.expired_before &= !self.leases.own_lapse(lease);
        }
        // The store may have seen a lease end that this worker still believes in, and grant it anew.
        for stale in self.leases.replaced_by(&grant.leases) {
            self.lose(stale);
        }
        self.leases.granted(asked_at, &grant.leases, grant.workers);
        if grant.leases.is_empty() {
            return;
        }
        let died: Vec<Partition> =
            grant.leases.iter().filter(|lease| lease.expired_before).map(|lease| lease.partition).collect();
        if !died.is_empty() {
            self.events.push(Event::TookOver { partitions: died });
        }
        self.to_open.extend((0..self.walks.len()).map(|walk| (walk, grant.leases.clone())));
    }

    fn renewed(&mut self, now: Duration, asked_at: Duration, leases: &[Lease], result: Result<Vec<Partition>>) {
        self.leases.renewing = false;
        match result {
            Ok(kept) => {
                for lease in self.leases.renewed(asked_at, leases, &kept) {
                    self.lose(lease);
                }
            }
            Err(_) => self.leases.renewal_failed(now),
        }
    }

    /// The lease is gone: whatever the lane had in mind goes with it.
    fn lose(&mut self, lease: Lease) {
        if self.mistakes.has(Mistake::LostLeaseKept) {
            return;
        }
        self.events.push(Event::LeaseLost { partition: lease.partition });
        self.drop_lease(lease);
    }

    fn drop_lease(&mut self, lease: Lease) {
        if !self.leases.remove(lease.partition, lease.epoch) {
            return;
        }
        for (_, leases) in &mut self.to_open {
            leases.retain(|open| open.partition != lease.partition);
        }
        let ids: Vec<RunId> = self.walks.iter_mut().flat_map(|walk| walk.close(lease.partition)).collect();
        if !ids.is_empty() {
            self.actions.push(Action::Cancel { ids });
        }
    }

    fn plan_leases(&mut self, now: Duration) {
        if self.stopping_since.is_none() {
            if let Some(want) = self.leases.plan_lease(now) {
                self.actions.push(Action::Lease { want });
            }
            for partition in self.leases.plan_drain() {
                self.walks.iter_mut().for_each(|walk| walk.drain(partition));
            }
            let drained = |lease: &Lease| self.walks.iter().all(|walk| walk.is_drained(lease.partition));
            let leases: Vec<Lease> = self.leases.draining().into_iter().filter(drained).collect();
            if !leases.is_empty() {
                leases.iter().for_each(|lease| self.drop_lease(*lease));
                self.actions.push(Action::Release { leases, leaving: false });
            }
        }
        if let Some(leases) = self.leases.plan_renewal(now) {
            let report = WorkerReport { destinations: self.walks.iter().map(Walk::report).collect() };
            self.actions.push(Action::Renew { leases, report });
        }
    }

    fn plan_opens(&mut self, now: Duration) {
        if self.front.is_none() || now < self.open_at || self.stopping_since.is_some() {
            return;
        }
        for (walk, leases) in std::mem::take(&mut self.to_open) {
            if !leases.is_empty() {
                self.actions.push(Action::Open { walk, leases });
            }
        }
    }

    fn opened(&mut self, now: Duration, walk: usize, leases: Vec<Lease>, result: Result<Vec<LaneState>>) {
        let held = self.leases.all();
        let leases: Vec<Lease> = leases.into_iter().filter(|lease| held.contains(lease)).collect();
        match result {
            Ok(states) => self.walks[walk].open(now, self.front.unwrap_or_default(), &leases, states),
            Err(_) => {
                self.open_at = now + RETRY;
                self.to_open.push((walk, leases));
            }
        }
    }

    /// When to look next, and how long to wait for news then. New messages are wanted when some lane has read everything, and
    /// the front when none is known.
    fn next_look(&self) -> Option<(Duration, Duration)> {
        let Some(front) = self.front else { return Some((self.look_at, Duration::ZERO)) };
        if self.stopping_since.is_some() || self.leases.len() == 0 {
            return None;
        }
        if !self.walks.iter().any(|walk| walk.has_caught_up(front)) {
            return Some((self.look_at + LAGGING_LOOK_INTERVAL, Duration::ZERO));
        }
        Some((self.look_at, if self.hint_lost { Duration::ZERO } else { self.settings.poll_interval }))
    }

    fn plan_look(&mut self, now: Duration) {
        if let Some((_, wait)) = self.next_look().filter(|(at, _)| !self.looking && now >= *at) {
            self.looking = true;
            self.actions.push(Action::Look { wait });
        }
    }

    fn looked(&mut self, now: Duration, result: Result<Option<Position>>) {
        self.looking = false;
        self.look_at = now + LOOK_INTERVAL;
        self.hint_lost = result.is_err();
        match result {
            Ok(Some(front)) => {
                self.front = Some(self.front.map_or(front, |before| before.max(front)));
                self.walks.iter_mut().for_each(|walk| walk.hint_due(now));
            }
            Ok(None) => {}
            Err(_) => self.look_at = now + RETRY,
        }
    }

    /// Whoever holds the first partition keeps house.
    fn plan_purge(&mut self, now: Duration) {
        let Some(older_than) = self.settings.retention else { return };
        if self.purging || self.stopping_since.is_some() || !self.leases.holds(HOUSEKEEPING) {
            return;
        }
        if self.purge_at.is_some_and(|at| now >= at) {
            self.purging = true;
            self.actions.push(Action::Purge { older_than, limit: PURGE_LIMIT });
        }
    }

    fn purged(&mut self, now: Duration, result: Result<Purged>) {
        self.purging = false;
        let again = result.is_ok_and(|purged| purged.more);
        self.purge_at = Some(if again { now } else { now + self.settings.purge_interval });
    }

    /// Waits for what is in flight, up to a limit, then for the last commits, then leaves.
    fn plan_stop(&mut self, now: Duration) {
        let Some(since) = self.stopping_since else { return };
        if self.leaving {
            return;
        }
        if now >= since + self.settings.stop_timeout {
            let ids: Vec<RunId> = self.walks.iter_mut().flat_map(Walk::abandon).collect();
            if !ids.is_empty() {
                self.actions.push(Action::Cancel { ids });
            }
        }
        let leases = self.leases.all();
        let drained = |lease: &Lease| self.walks.iter().all(|walk| walk.is_drained(lease.partition));
        let too_late = now >= since + 2 * self.settings.stop_timeout;
        if leases.iter().all(drained) || too_late || self.mistakes.has(Mistake::ReleaseBeforeFlush) {
            self.leaving = true;
            self.leases.clear();
            self.actions.push(Action::Release { leases, leaving: true });
        }
    }
}
