//! Handing runs to the sink, and what its answers mean.

use std::time::Duration;

use super::{Flight, Look, RunId, Walk};
use crate::engine::lane::key_queue::Item;
use crate::engine::lane::{Aside, Failure, Taken, Terms};
use crate::engine::mistakes::Mistake;
use crate::engine::{Action, Event, Failed};
use crate::journal::ParkedState;
use crate::retry::Verdict;
use crate::rules::decide::{Fate, decide};
use crate::sink::{self, Outcome, Run};

/// A message for which alone the destination seems out of reach so often is to blame itself.
const STRIKES: u32 = 3;

impl Walk {
    /// Queues the lines that became servable.
    pub(super) fn gather_ready(&mut self, look: &mut Look<'_>) {
        for lane in self.lanes.values_mut() {
            for line in lane.newly_ready.drain(..) {
                self.ready.push_back((lane.partition, lane.epoch, line));
            }
            if std::mem::take(&mut lane.freed) {
                self.due_at = Some(look.now);
            }
        }
        if !self.ready.is_empty() && !self.dest.batch_delay.is_zero() {
            self.batch_since.get_or_insert(look.now);
        }
    }

    /// Hands over what may go.
    pub(super) fn serve(&mut self, look: &mut Look<'_>) {
        let batch_is_due = self.batch_since.is_none_or(|since| look.now >= since + self.dest.batch_delay);
        if self.paused || look.stopping || !batch_is_due {
            return;
        }
        for _ in 0..self.ready.len() {
            let too_early = self.pace.as_ref().is_some_and(|pace| pace.opens_at() > look.now);
            if self.flights.len() >= self.dest.max_in_flight || !self.breaker.allows() || too_early {
                return;
            }
            let Some((partition, epoch, line)) = self.ready.pop_front() else { break };
            let Some(lane) = self.lanes.get_mut(&partition).filter(|lane| lane.epoch == epoch) else { continue };
            let not_after = look.leases.safe_until(partition, epoch);
            if look.now >= not_after && !self.mistakes.has(Mistake::DeliverWithoutLease) {
                self.ready.push_back((partition, epoch, line));
                continue;
            }
            let rates = &mut self.rates;
            let mut terms = Terms {
                now: look.now,
                max_run: self.dest.max_run,
                suspects: look.suspects,
                charge: &mut |message| match (rates.as_mut(), &message.tenant) {
                    (Some(rates), Some(tenant)) => rates.reserve(tenant, look.now),
                    _ => Duration::ZERO,
                },
            };
            match lane.take_run(line, &mut terms) {
                Taken::Run(deliveries) => {
                    let messages = deliveries.len();
                    let run = Run { destination: self.dest.name.clone(), partition, deliveries };
                    let id = *look.next_run;
                    *look.next_run += 1;
                    self.breaker.handed_over();
                    if let Some(pace) = &mut self.pace {
                        pace.spend(look.now, messages);
                    }
                    self.flights.insert(id, Flight { partition, epoch, line, messages });
                    look.actions.push(Action::Deliver { walk: self.index, id, run, not_after });
                }
                Taken::AfterSuspects => {
                    lane.still_ready(line);
                    self.ready.push_back((partition, epoch, line));
                }
                Taken::Killer(item) => {
                    lane.bury_killer(line, &item);
                    self.dead += 1;
                    look.events.push(Event::Killer { destination: self.dest.name.clone(), message: item.message.id });
                }
                Taken::Nothing => {}
            }
        }
        if self.ready.is_empty() {
            self.batch_since = None;
        }
    }

    /// A sink's answer.
    pub(in crate::engine) fn delivered(
        &mut self,
        now: Duration,
        id: RunId,
        outcome: Outcome,
        took: Duration,
        events: &mut Vec<Event>,
    ) {
        let Some(flight) = self.flights.remove(&id) else { return };
        let Some(lane) = self.lanes.get_mut(&flight.partition).filter(|lane| lane.epoch == flight.epoch) else {
            return;
        };
        let confirmed = match self.mistakes.has(Mistake::AckAllOnPartialFailure) {
            true => flight.messages,
            false => outcome.confirmed.min(flight.messages),
        };
        self.delivered += confirmed as u64;
        self.settled += confirmed;
        let failed = lane.confirm(flight.line, confirmed, took);
        if confirmed > 0 {
            self.breaker.reached();
        }
        let Some(item) = failed else { return lane.carry_on(flight.line) };
        let silent =
            || sink::Error::retry(format!("the sink confirmed {confirmed} of {} and said no more", flight.messages));
        let error = outcome.error.unwrap_or_else(silent);
        self.fail(now, &flight, item, Failure { error, progress: outcome.progress, took }, events);
    }

    /// A run never reached the sink, because its lease ended: nothing is known about the destination.
    pub(in crate::engine) fn withheld(&mut self, id: RunId) {
        let Some(flight) = self.flights.remove(&id) else { return };
        self.breaker.given_back();
        let Some(lane) = self.lanes.get_mut(&flight.partition).filter(|lane| lane.epoch == flight.epoch) else {
            return;
        };
        if let Some(first) = lane.confirm(flight.line, 0, Duration::ZERO) {
            lane.take_back(flight.line, first);
        }
    }

    fn fail(&mut self, now: Duration, flight: &Flight, mut item: Item, failure: Failure, events: &mut Vec<Event>) {
        let error = &failure.error;
        let attempts = item.attempts + 1;
        let max_attempts = item.message.max_attempts.unwrap_or(self.dest.policy.max_attempts);
        let verdict = self.judge(&mut item, error.verdict);
        let jitter = self.next_jitter();
        let fate = decide(verdict, attempts, max_attempts, &self.dest.policy, jitter);
        let Some(lane) = self.lanes.get_mut(&flight.partition) else { return };
        let name = self.dest.name.clone();
        if fate == Fate::Outage {
            if self.breaker.unreachable(now, error.brief()) {
                events.push(Event::Outage { destination: name, error: error.brief().to_owned() });
            }
            return lane.take_back(flight.line, item);
        }
        self.breaker.reached();
        if fate == Fate::Pause {
            if !std::mem::replace(&mut self.paused, true) {
                self.wants_pause = Some(error.brief().to_owned());
                events.push(Event::Gone { destination: name, error: error.brief().to_owned() });
            }
            return lane.take_back(flight.line, item);
        }
        self.failed += 1;
        self.settled += 1;
        item.attempts = attempts;
        let (state, due_in) = match fate {
            Fate::Retry { after } => (ParkedState::Retrying, Some(after)),
            Fate::Dead | Fate::Outage | Fate::Pause => (ParkedState::Dead, None),
        };
        self.dead += u64::from(state == ParkedState::Dead);
        let event = Failed {
            destination: name,
            message: item.message.clone(),
            attempts,
            error: error.brief().to_owned(),
            retry_in: due_in,
        };
        events.push(Event::Failed(event));
        lane.fail(flight.line, &item, Aside { state, due_in, failure: Some(failure) });
    }

    /// An outage that only one message meets, while others are delivered, is that message's failure.
    fn judge(&self, item: &mut Item, verdict: Verdict) -> Verdict {
        if verdict != Verdict::Unreachable {
            return verdict;
        }
        let history = item.history.get_or_insert_default();
        if history.delivered_at_strike.is_some_and(|delivered| delivered < self.delivered) {
            history.strikes += 1;
        }
        history.delivered_at_strike = Some(self.delivered);
        let spent = history.strikes >= STRIKES || self.mistakes.has(Mistake::OutageSpendsAttempts);
        if spent { Verdict::Retry } else { verdict }
    }

    /// Asks a destination that is out of reach whether it is back.
    pub(super) fn probe(&mut self, look: &mut Look<'_>) {
        if self.breaker.probe_at().is_some_and(|at| look.now >= at) && !look.stopping {
            self.breaker.probing();
            look.actions.push(Action::Probe { walk: self.index });
        }
    }

    pub(in crate::engine) fn probed(
        &mut self,
        now: Duration,
        result: Result<(), sink::Error>,
        events: &mut Vec<Event>,
    ) {
        match result {
            Ok(()) => {
                self.breaker.probe_succeeded();
                events.push(Event::Recovered { destination: self.dest.name.clone() });
            }
            Err(error) => {
                self.breaker.unreachable(now, error.brief());
            }
        }
    }

    /// Uniform in `[0, 1)` (SplitMix64), from the seed the engine was given.
    fn next_jitter(&mut self) -> f64 {
        self.jitter = self.jitter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.jitter;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
