//! "Why is this not delivered?" A pure function from what the store knows to a sentence, its causes and the command that helps.

use jiff::Timestamp;
use posthaste::Destination;
use posthaste::inspect::{DeliveryReport, Report, Status};
use serde::Serialize;

use self::gate::Gate;

mod gate;
mod no_route;
mod state;
#[cfg(test)]
mod tests;

/// What is known: the store's report, the destinations of the config (empty if there are none), and the time.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub report: &'a Report,
    pub destinations: &'a [Destination],
    pub now: Timestamp,
}

impl Facts<'_> {
    /// The destination as the config has it.
    fn configured(&self, name: &str) -> Option<&Destination> {
        self.destinations.iter().find(|destination| destination.name.as_str() == name)
    }
}

/// Why one message is where it is, at one destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    pub cause: Cause,
    /// One sentence.
    pub verdict: String,
    /// What lies behind it, nearest cause first.
    pub because: Vec<String>,
    /// What to type.
    pub remedies: Vec<Remedy>,
}

/// A command, and what it is good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remedy {
    pub command: String,
    pub does: String,
}

/// The verdict for machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    NoRoute,
    Delivered,
    Discarded,
    Paused,
    NoWorker,
    LeaseExpired,
    Outage,
    TooManyHeldKeys,
    InLine,
    WaitingBehind,
    CatchingUp,
    Retrying,
    Scheduled,
    Throttled,
    Dead,
    Replay,
}

impl Cause {
    /// Whether it goes on by itself, without a person.
    pub fn mends_itself(self) -> bool {
        !matches!(self, Self::NoRoute | Self::Paused | Self::NoWorker | Self::TooManyHeldKeys | Self::Dead)
    }
}

impl Finding {
    fn new(cause: Cause, verdict: impl Into<String>) -> Self {
        Self { destination: None, cause, verdict: verdict.into(), because: Vec::new(), remedies: Vec::new() }
    }

    fn because(mut self, text: impl Into<String>) -> Self {
        self.because.push(text.into());
        self
    }

    fn remedy(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy { command: command.into(), does: does.into() });
        self
    }
}

/// One finding for each destination that takes the message, or the one that says why none does.
pub fn explain(facts: Facts<'_>) -> Vec<Finding> {
    if facts.report.deliveries.is_empty() {
        return vec![no_route::explain(facts)];
    }
    facts.report.deliveries.iter().map(|delivery| one(facts, delivery)).collect()
}

/// What stands in front of the whole destination or partition comes first; the state of the message itself is then a cause.
fn one(facts: Facts<'_>, delivery: &DeliveryReport) -> Finding {
    let own = state::explain(facts, delivery);
    let finding = match Gate::before(facts.report, delivery) {
        None => own,
        Some(gate) if is_future(facts, delivery) => own.because(format!("When its time comes: {}", gate.sentence())),
        Some(gate) => {
            let mut finding = gate.finding();
            if delivery.status != Status::Pending {
                finding.because.push(own.verdict);
                finding.because.extend(own.because);
            }
            finding
        }
    };
    Finding { destination: Some(delivery.destination.clone()), ..finding }
}

/// Nothing would happen now, even with every gate open.
fn is_future(facts: Facts<'_>, delivery: &DeliveryReport) -> bool {
    let timed = matches!(delivery.status, Status::Scheduled | Status::Retrying | Status::Throttled | Status::Replay);
    timed && delivery.due_at.is_some_and(|due| due > facts.now)
}
