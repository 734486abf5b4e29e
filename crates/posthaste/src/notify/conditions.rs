//! What is wrong at one moment: a pure function of the overview.

use std::time::Duration;

use super::{Kind, Subject};
use crate::destination::Name;
use crate::duration;
use crate::inspect::{DestinationCounts, Overview, SourceStatus};
use crate::journal::SourceState;

/// What is shown of an error.
const MAX_ERROR_CHARS: usize = 200;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// What it is about.
    pub subject: Subject,
    /// What is wrong, in a sentence.
    pub text: String,
    /// The command that helps, or shows more.
    pub command: String,
    /// Deliveries concerned, where they can be counted.
    pub deliveries: u64,
    /// Since when the oldest of them waits.
    pub age: Option<Duration>,
}

/// Everything that is wrong.
pub fn conditions(overview: &Overview, lag_over: Duration) -> Vec<Condition> {
    let mut found: Vec<Condition> = no_worker(overview).into_iter().collect();
    for counts in &overview.destinations {
        let outage = outage(overview, counts);
        // Whatever waits there waits for this reason.
        let explained = outage.is_some() || counts.paused || !found.is_empty() && found[0].subject.0 == Kind::NoWorker;
        found.extend(outage);
        found.extend(paused(counts));
        found.extend(dead(counts));
        found.extend(blocked(counts));
        found.extend(lag(counts, lag_over).filter(|_| !explained));
    }
    found.extend(overview.sources.iter().filter_map(source));
    found
}

/// A source that has stopped, or that cannot be read.
fn source(status: &SourceStatus) -> Option<Condition> {
    let report = status.report.as_ref().filter(|_| status.held && !status.paused)?;
    let (what, command) = match report.state {
        SourceState::Stopped => ("has stopped", format!("posthaste sources resume {}", status.name)),
        SourceState::Failing => ("cannot be read", "posthaste check".into()),
        SourceState::Reading | SourceState::CaughtUp => return None,
    };
    let error: String = report.error.iter().flat_map(|error| error.chars()).take(MAX_ERROR_CHARS).collect();
    let text = format!("the source {} {what}: {error}", status.name);
    Some(Condition {
        subject: (Kind::Source, Some(Name::from(status.name.as_str()))),
        text,
        command,
        deliveries: 0,
        age: None,
    })
}

fn condition(kind: Kind, counts: &DestinationCounts, text: String, command: String, deliveries: u64) -> Condition {
    let subject = (kind, Some(Name::from(counts.destination.as_str())));
    let age = counts.oldest_pending_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Condition { subject, text, command, deliveries, age }
}

fn waiting(counts: &DestinationCounts) -> u64 {
    counts.pending
        + counts.retrying
        + counts.waiting
        + counts.throttled
        + counts.paused_deliveries
        + counts.awaiting
        + counts.replay
}

fn no_worker(overview: &Overview) -> Option<Condition> {
    let waiting: u64 = overview.destinations.iter().map(waiting).sum();
    let nobody = !overview.workers.iter().any(|worker| worker.alive) && waiting > 0;
    nobody.then(|| Condition {
        subject: (Kind::NoWorker, None),
        text: format!("no worker is running, and {} wait", deliveries(waiting)),
        command: "posthaste run".into(),
        deliveries: waiting,
        age: None,
    })
}

fn outage(overview: &Overview, counts: &DestinationCounts) -> Option<Condition> {
    let alive = overview.workers.iter().filter(|worker| worker.alive);
    let mut reports = alive.filter_map(|worker| worker.report.as_ref()).flat_map(|report| &report.destinations);
    let error = reports.find_map(|report| report.outage.as_ref().filter(|_| report.name == counts.destination))?;
    let error: String = error.lines().next().unwrap_or_default().chars().take(MAX_ERROR_CHARS).collect();
    let text = format!("{} is out of reach, and {} wait: {error}", counts.destination, deliveries(waiting(counts)));
    Some(condition(Kind::Outage, counts, text, "posthaste check".into(), waiting(counts)))
}

fn paused(counts: &DestinationCounts) -> Option<Condition> {
    counts.paused.then(|| {
        let text = format!("{} is paused, and {} wait", counts.destination, deliveries(waiting(counts)));
        condition(Kind::Paused, counts, text, format!("posthaste resume {}", counts.destination), waiting(counts))
    })
}

fn dead(counts: &DestinationCounts) -> Option<Condition> {
    (counts.dead > 0).then(|| {
        let text = format!("{} dead at {}", deliveries(counts.dead), counts.destination);
        condition(Kind::Dead, counts, text, list_dead(counts), counts.dead)
    })
}

fn blocked(counts: &DestinationCounts) -> Option<Condition> {
    (counts.dead > 0 && counts.waiting > 0).then(|| {
        let text = format!("{} wait behind dead ones at {}", deliveries(counts.waiting), counts.destination);
        condition(Kind::Blocked, counts, text, list_dead(counts), counts.waiting)
    })
}

fn lag(counts: &DestinationCounts, over: Duration) -> Option<Condition> {
    let age = Duration::try_from_secs_f64(counts.oldest_pending_seconds?).ok().filter(|age| *age > over)?;
    let text = format!(
        "{} is behind: {} wait, the oldest for {}",
        counts.destination,
        deliveries(counts.pending),
        duration::brief(Duration::from_secs(age.as_secs()))
    );
    Some(condition(Kind::Lag, counts, text, "posthaste status".into(), counts.pending))
}

fn list_dead(counts: &DestinationCounts) -> String {
    format!("posthaste list --status dead --destination {}", counts.destination)
}

fn deliveries(number: u64) -> String {
    if number == 1 { "1 delivery".into() } else { format!("{number} deliveries") }
}
