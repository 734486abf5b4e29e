//! Handing runs to the sink: who is next, and whether it may go.

use std::time::Duration;

use foldhash::HashSet;

use super::breaker::Breaker;
use super::hand_overs::{Flight, HandOvers};
use super::lanes::Lanes;
use super::rate::{Pace, Rates};
use super::turns::Turns;
use super::{Lane, Pass};
use crate::destination::Destination;
use crate::engine::lane::{QueueId, Taken, Terms};
use crate::engine::mistakes::{Mistake, Mistakes};
use crate::engine::protocol::{Event, HandOverId};
use crate::journal::Partition;
use crate::message::Text;
use crate::settings::Settings;
use crate::sink::Run;

/// Serves the lanes of one destination.
#[derive(Debug)]
pub(super) struct Scheduler {
    /// Queues with something to hand over.
    ready: Turns,
    hand_overs: HandOvers,
    pub(super) breaker: Breaker,
    pace: Option<Pace>,
    rates: Option<Rates>,
    /// Since when something waits for others to go with it.
    batch_since: Option<Duration>,
    pub(super) paused: bool,
    pub(super) paused_tenants: HashSet<Text>,
    max_worker_deaths: u32,
    mistakes: Mistakes,
}

impl Scheduler {
    /// A scheduler with nothing to serve.
    pub(super) fn new(hand_overs: HandOvers, dest: &Destination, settings: &Settings, mistakes: Mistakes) -> Self {
        Self {
            ready: Turns::default(),
            hand_overs,
            breaker: Breaker::default(),
            pace: dest.rate.map(Pace::new),
            rates: dest.tenant_rate.map(Rates::new),
            batch_since: None,
            paused: false,
            paused_tenants: HashSet::default(),
            max_worker_deaths: settings.max_worker_deaths,
            mistakes,
        }
    }

    /// Whether anything can be handed over at all.
    pub(super) fn is_open(&self) -> bool {
        !self.paused && self.breaker.allows()
    }

    /// Messages with the sink.
    pub(super) fn in_flight(&self) -> usize {
        self.hand_overs.messages()
    }

    /// Queues what became servable. True when parked deliveries that were kept back may go now.
    pub(super) fn gather(&mut self, now: Duration, batch_delay: Duration, lanes: &mut Lanes) -> bool {
        let mut freed = false;
        for lane in lanes.iter_mut() {
            for queue in std::mem::take(&mut lane.notices.ready) {
                self.ready.push(lane.tenant_of(queue), (lane.id, queue));
            }
            freed |= std::mem::take(&mut lane.notices.freed);
        }
        if !self.ready.is_empty() && !batch_delay.is_zero() {
            self.batch_since.get_or_insert(now);
        }
        freed
    }

    /// Hands over what may go. Returns how many messages were declared dead instead.
    pub(super) fn serve(&mut self, dest: &Destination, lanes: &mut Lanes, pass: &mut Pass<'_>) -> u64 {
        self.share(pass.leases.share_held());
        let batch_is_due = self.batch_since.is_none_or(|since| pass.now >= since + dest.batch_delay);
        if self.paused || pass.stopping || !batch_is_due {
            return 0;
        }
        let mut dead = 0;
        for _ in 0..self.ready.len() {
            if !self.has_capacity(dest, pass.now) {
                break;
            }
            let Some((tenant, (id, queue))) = self.ready.pop() else { break };
            let Some(lane) = lanes.get_mut(id) else { continue };
            let not_after = pass.leases.safe_until(id.partition, id.epoch);
            if pass.now >= not_after && !self.mistakes.has(Mistake::DeliverWithoutLease) {
                self.ready.push(tenant.as_ref(), (id, queue));
                continue;
            }
            match self.take_run(dest, lane, queue, pass) {
                Taken::Run { deliveries, alone } => {
                    self.let_go(pass.now, deliveries.len());
                    let flight = Flight { lane: id, queue, messages: deliveries.len() };
                    let run = Run { destination: dest.name.clone(), partition: id.partition, deliveries };
                    self.hand_overs.add(flight, run, alone, not_after, pass.outbox);
                    if self.mistakes.has(Mistake::KeyTwiceInHandOver) {
                        self.ready.push_first(tenant.as_ref(), (id, queue));
                    }
                }
                Taken::AfterSuspects => self.ready.push(tenant.as_ref(), (id, queue)),
                Taken::Dead(message) => {
                    dead += 1;
                    pass.events.push(Event::KilledWorkers { destination: dest.name.clone(), message });
                }
                Taken::Unfit(failed) => {
                    dead += 1;
                    pass.events.push(Event::Failed(failed));
                }
                Taken::Nothing => {}
            }
        }
        self.hand_overs.leave(pass.outbox);
        if self.ready.is_empty() {
            self.batch_since = None;
        }
        dead
    }

    /// The rates are those of all workers together; each has as much of them as it has of the partitions.
    fn share(&mut self, share: f64) {
        if let Some(pace) = &mut self.pace {
            pace.share(share);
        }
        if let Some(rates) = &mut self.rates {
            rates.share(share);
        }
    }

    fn has_capacity(&self, dest: &Destination, now: Duration) -> bool {
        let too_early = self.pace.as_ref().is_some_and(|pace| pace.opens_at() > now);
        self.hand_overs.runs() < dest.max_in_flight && self.breaker.allows() && !too_early
    }

    fn take_run(&mut self, dest: &Destination, lane: &mut Lane, queue: QueueId, pass: &mut Pass<'_>) -> Taken {
        let (now, rates, paused) = (pass.now, &mut self.rates, &self.paused_tenants);
        let careless = self.mistakes.has(Mistake::PausedTenantServed);
        let mut terms = Terms {
            destination: &dest.name,
            now,
            max_run: dest.max_run,
            lease_ttl: pass.leases.ttl,
            max_worker_deaths: self.max_worker_deaths,
            suspects: &mut pass.suspects,
            is_paused: &|message| message.tenant.as_ref().is_some_and(|tenant| paused.contains(tenant)) && !careless,
            charge: &mut |message| match (rates.as_mut(), &message.tenant) {
                (Some(rates), Some(tenant)) => rates.reserve(tenant, now),
                _ => Duration::ZERO,
            },
        };
        lane.take_run(queue, &mut terms)
    }

    /// A run goes: whoever counts hears of it.
    fn let_go(&mut self, now: Duration, messages: usize) {
        self.breaker.handed_over();
        if let Some(pace) = &mut self.pace {
            pace.spend(now, messages);
        }
    }

    /// Runs are with their sink no more.
    pub(super) fn came_back(&mut self, id: HandOverId) -> Option<Vec<Flight>> {
        self.hand_overs.came_back(id)
    }

    /// Nobody waits for hand-overs with something of this partition. Returns them with all their runs.
    pub(super) fn close(&mut self, partition: Partition) -> Vec<(HandOverId, Vec<Flight>)> {
        let cancelled = self.hand_overs.cancel(partition);
        if self.hand_overs.runs() == 0 {
            self.breaker.given_back();
        }
        cancelled
    }

    /// Nobody waits for anything in flight. Returns the hand-overs.
    pub(super) fn abandon(&mut self) -> Vec<HandOverId> {
        self.hand_overs.abandon()
    }

    /// When something can be handed over although nothing happens.
    pub(super) fn wake_at(&self, batch_delay: Duration, now: Duration) -> Option<Duration> {
        let batch = self.batch_since.map(|since| since + batch_delay);
        let pace = self.pace.as_ref().filter(|_| !self.ready.is_empty()).map(Pace::opens_at);
        [batch, pace].into_iter().flatten().filter(|at| *at > now).min()
    }
}
