//! Why a message is not delivered: a pure function from what the store knows to a sentence, its causes and the commands that help.

use jiff::Timestamp;
use posthaste::Destination;
use posthaste::destination::Filter;
use posthaste::inspect::{DeliveryReport, Report, Status};
use posthaste::rules::route::{self, Admission};
use serde::Serialize;

use self::obstacle::Obstacle;

mod no_route;
mod obstacle;
mod status;
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
    /// The filter of the destination, if it leaves the message out.
    fn filtered_out(&self, name: &str) -> Option<&Filter> {
        let destination = self.configured(name)?;
        let left_out = route::filtered(destination, &self.report.message) == Admission::FilteredOut;
        destination.filter.as_ref().filter(|_| left_out)
    }

    /// The destination as the config has it.
    fn configured(&self, name: &str) -> Option<&Destination> {
        self.destinations.iter().find(|destination| destination.name.as_str() == name)
    }
}

/// Why one message is where it is, at one destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// `None` when no destination takes the message.
    pub destination: Option<String>,
    pub cause: Cause,
    /// One sentence.
    pub summary: String,
    /// The causes, nearest first.
    pub because: Vec<String>,
    /// Commands that help.
    pub remedies: Vec<Remedy>,
}

/// A command, and what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remedy {
    pub command: String,
    pub does: String,
}

/// The summary, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    NoRoute,
    Delivered,
    FilteredOut,
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
    Awaiting,
    Dead,
    Replay,
}

impl Cause {
    /// Whether it goes on by itself, without a person.
    pub fn mends_itself(self) -> bool {
        !matches!(self, Self::NoRoute | Self::Paused | Self::NoWorker | Self::TooManyHeldKeys | Self::Dead)
    }
}

impl Explanation {
    fn new(cause: Cause, summary: impl Into<String>) -> Self {
        Self { destination: None, cause, summary: summary.into(), because: Vec::new(), remedies: Vec::new() }
    }

    fn because(mut self, text: impl Into<String>) -> Self {
        self.because.push(text.into());
        self
    }

    fn because_if(self, text: Option<String>) -> Self {
        match text {
            Some(text) => self.because(text),
            None => self,
        }
    }

    fn remedy(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy { command: command.into(), does: does.into() });
        self
    }
}

/// One explanation for each destination that takes the message, or a single one if no destination does.
pub fn explain(facts: Facts<'_>) -> Vec<Explanation> {
    if facts.report.deliveries.is_empty() {
        return vec![no_route::explain(facts)];
    }
    facts.report.deliveries.iter().map(|delivery| one(facts, delivery)).collect()
}

/// What stops the whole destination or partition comes first; the status of the delivery is then one of the causes.
fn one(facts: Facts<'_>, delivery: &DeliveryReport) -> Explanation {
    let own = status::explain(facts, delivery);
    let explanation = match Obstacle::of(facts.report, delivery) {
        None => own,
        Some(obstacle) if is_future(facts, delivery) => {
            own.because(format!("When its time comes: {}", obstacle.sentence()))
        }
        Some(obstacle) => {
            let mut explanation = obstacle.explanation();
            if delivery.status != Status::Pending {
                explanation.because.push(own.summary);
                explanation.because.extend(own.because);
            }
            explanation
        }
    };
    Explanation { destination: Some(delivery.destination.clone()), ..explanation }
}

/// Whether nothing would happen now even without an obstacle.
fn is_future(facts: Facts<'_>, delivery: &DeliveryReport) -> bool {
    let timed = matches!(
        delivery.status,
        Status::Scheduled | Status::Retrying | Status::Throttled | Status::Awaiting | Status::Replay
    );
    timed && delivery.due_at.is_some_and(|due| due > facts.now)
}
