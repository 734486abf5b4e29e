//! What a sink's answers mean.
//!
//! A failure makes one trip: [`Lane::settle`](crate::engine::lane::Lane::settle) finds the message that failed, asks the
//! [`Judge`](super::judge::Judge) about it, and parks it or takes it back; what was decided comes back here, where the breaker, the
//! figures and the operator hear of it.

use std::sync::Arc;
use std::time::Duration;

use super::hand_overs::Flight;
use super::{DestinationState, Heard, Pass};
use crate::engine::lane::key_queue::QueuedMessage;
use crate::engine::lane::{Confirmed, Failure, Parking};
use crate::engine::mistakes::Mistake;
use crate::engine::outbox::Pending;
use crate::engine::protocol::{Action, Event, Failed, HandOverId, StoreCall};
use crate::journal::ParkedState;
use crate::message::Message;
use crate::rules::decide::Decision;
use crate::sink::{self, Outcome};

/// A delivery that failed, and what was decided about it.
pub(super) struct FailedDelivery {
    message: Arc<Message>,
    /// Failed attempts, as far as they count.
    attempts: u32,
    error: String,
    decision: Decision,
}

impl DestinationState {
    /// A sink answered: what each run of a hand-over came to.
    pub(in crate::engine) fn delivered(
        &mut self,
        id: HandOverId,
        mut outcomes: Vec<Outcome>,
        took: Duration,
        heard: &mut Heard<'_>,
    ) {
        let Some(flights) = self.scheduler.came_back(id) else { return };
        if self.mistakes.has(Mistake::OutcomesMixedUp) {
            outcomes.rotate_left(1);
        }
        for (flight, outcome) in flights.into_iter().zip(outcomes) {
            self.settle(flight, outcome, took, heard);
        }
    }

    /// A run came to this.
    fn settle(&mut self, flight: Flight, outcome: Outcome, took: Duration, heard: &mut Heard<'_>) {
        let Some(lane) = self.lanes.get_mut(flight.lane) else { return };
        let confirmed = match self.mistakes.has(Mistake::AckAllOnPartialFailure) {
            true => flight.messages,
            false => outcome.confirmed.min(flight.messages),
        };
        self.totals.handed_over += confirmed as u64;
        if self.dest.callback_timeout.is_none() {
            self.totals.delivered += confirmed as u64;
        }
        self.committer.settled(confirmed);
        if confirmed > 0 {
            self.scheduler.breaker.reached();
        }
        let (judge, dest, delivered) = (&mut self.judge, &self.dest, self.totals.handed_over);
        let Outcome { error, progress, replies, .. } = outcome;
        let failed = lane.settle(flight.queue, Confirmed { count: confirmed, took, replies }, |message| {
            let error = error.unwrap_or_else(|| silent(confirmed, flight.messages));
            let decision = judge.decide(dest, message, error.verdict, delivered);
            carry_out(decision, message, Failure { error, progress, took })
        });
        if let Some(failed) = failed {
            self.failed(failed, heard);
        }
    }

    /// Takes note of what was decided about a failed delivery.
    pub(super) fn failed(&mut self, failed: FailedDelivery, heard: &mut Heard<'_>) {
        let FailedDelivery { message, attempts, error, decision } = failed;
        let destination = self.dest.name.clone();
        match decision {
            Decision::Outage => {
                if self.scheduler.breaker.unreachable(heard.now, &error) {
                    heard.events.push(Event::Outage { destination, error });
                }
            }
            Decision::Pause => self.pause(error, heard),
            Decision::Retry { .. } | Decision::Dead => {
                self.scheduler.breaker.reached();
                self.committer.settled(1);
                self.totals.failed += 1;
                self.totals.dead += u64::from(decision == Decision::Dead);
                let retry_in = retry_in(decision);
                heard.events.push(Event::Failed(Failed { destination, message, attempts, error, retry_in }));
            }
        }
    }

    /// The destination wants no more: everyone is to hold it until a person resumes it.
    fn pause(&mut self, why: String, heard: &mut Heard<'_>) {
        self.scheduler.breaker.reached();
        if std::mem::replace(&mut self.scheduler.paused, true) {
            return;
        }
        let destination = self.dest.name.clone();
        let call = StoreCall::Pause { destination: destination.clone(), why: why.clone() };
        heard.outbox.request(call, Pending::Pause);
        heard.events.push(Event::Gone { destination, error: why });
    }

    /// Runs never reached the sink, because a lease ended: nothing is known about the destination.
    pub(in crate::engine) fn withheld(&mut self, id: HandOverId) {
        let Some(flights) = self.scheduler.came_back(id) else { return };
        self.scheduler.breaker.given_back();
        flights.into_iter().for_each(|flight| self.goes_again(flight));
    }

    /// A run was called off, and goes again later.
    pub(super) fn goes_again(&mut self, flight: Flight) {
        if let Some(lane) = self.lanes.get_mut(flight.lane) {
            lane.called_off(flight.queue);
        }
    }

    /// Asks a destination that is out of reach whether it is back.
    pub(super) fn probe(&mut self, pass: &mut Pass<'_>) {
        if self.scheduler.breaker.probe_at().is_some_and(|at| pass.now >= at) && !pass.stopping {
            self.scheduler.breaker.probing();
            pass.outbox.push(Action::Probe { destination: self.index });
        }
    }

    /// A sink said whether its destination is within reach.
    pub(in crate::engine) fn probed(&mut self, result: Result<(), sink::Error>, heard: &mut Heard<'_>) {
        match result {
            Ok(()) => {
                self.scheduler.breaker.probe_succeeded();
                heard.events.push(Event::Recovered { destination: self.dest.name.clone() });
            }
            Err(error) => {
                self.scheduler.breaker.unreachable(heard.now, error.brief());
            }
        }
    }
}

/// How a failed delivery is parked; not at all if nothing is held against the message.
pub(super) fn carry_out(
    decision: Decision,
    message: &mut QueuedMessage,
    failure: Failure,
) -> (FailedDelivery, Option<Parking>) {
    let error = failure.error.brief().to_owned();
    let parking = match decision {
        Decision::Outage | Decision::Pause => None,
        Decision::Retry { .. } | Decision::Dead => {
            message.attempts += 1;
            let state = if decision == Decision::Dead { ParkedState::Dead } else { ParkedState::Retrying };
            Some(Parking { state, due_in: retry_in(decision), failure: Some(failure) })
        }
    };
    let failed = FailedDelivery { message: message.message.clone(), attempts: message.attempts, error, decision };
    (failed, parking)
}

fn retry_in(decision: Decision) -> Option<Duration> {
    match decision {
        Decision::Retry { after } => Some(after),
        Decision::Dead | Decision::Outage | Decision::Pause => None,
    }
}

/// What is held against a sink that confirmed a part and gave no reason.
fn silent(confirmed: usize, messages: usize) -> sink::Error {
    sink::Error::retry(format!("the sink confirmed {confirmed} of {messages} and said no more"))
}
