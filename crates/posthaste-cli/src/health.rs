//! Whether something needs a person: a pure function of the overview.

use posthaste::inspect::{DestinationCounts, Overview, SourceStatus, TenantPause, WorkerStatus};
use posthaste::journal::SourceState;
use serde::Serialize;

use self::dangers::{Danger, Level, dangers};
use crate::output::{count, plain, when};
use crate::selection::line::quoted;

pub mod dangers;

/// One thing that does not mend itself, and the command that helps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub kind: Kind,
    /// `None` when it concerns all destinations.
    pub destination: Option<String>,
    pub text: String,
    pub command: String,
    /// The deliveries that it is about, as a query line.
    pub query: Option<String>,
    /// What can be done about it with one button.
    pub action: Option<Action>,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    NoWorker,
    Outage,
    Dead,
    Paused,
    Overfull,
    Source,
    Store,
}

/// What an operator can do about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Replay,
    Resume,
}

/// Worst first.
pub fn problems(overview: &Overview) -> Vec<Problem> {
    let mut problems: Vec<Problem> = nobody_delivers(overview).into_iter().collect();
    let checks: [fn(&Overview, &DestinationCounts) -> Option<Problem>; 5] = [unserved, outage, dead, paused, overfull];
    for check in checks {
        problems.extend(overview.destinations.iter().filter_map(|counts| check(overview, counts)));
    }
    problems.extend(overview.destinations.iter().flat_map(paused_tenants));
    problems.extend(overview.sources.iter().filter_map(source));
    problems.extend(dangers(overview).into_iter().filter(|danger| danger.level == Level::Bad).map(of_store));
    problems
}

fn of_store(danger: Danger) -> Problem {
    let (text, command) = (danger.text, "posthaste check".into());
    Problem { kind: Kind::Store, destination: None, text, command, query: None, action: None }
}

/// A source that nobody reads on, and why.
fn source(status: &SourceStatus) -> Option<Problem> {
    let name = &status.name;
    let resume = format!("posthaste sources resume {name}");
    let report = status.report.as_ref().filter(|_| status.held);
    let (text, command) = match report.map(|report| (report.state, report.error.as_deref().unwrap_or_default())) {
        _ if status.paused => (format!("the source {name} is paused"), resume),
        Some((SourceState::Stopped, error)) => {
            (format!("the source {name} has stopped: {}", plain::cut(error, 160)), resume)
        }
        Some((SourceState::Failing, error)) => {
            (format!("the source {name} cannot be read: {}", plain::cut(error, 160)), "posthaste check".into())
        }
        _ => return None,
    };
    Some(Problem { kind: Kind::Source, destination: None, text, command, query: None, action: None })
}

fn nobody_delivers(overview: &Overview) -> Option<Problem> {
    let open: u64 = overview.destinations.iter().map(open).sum();
    let text = if overview.workers.iter().any(|worker| worker.alive) {
        return None;
    } else if overview.destinations.is_empty() && overview.messages > 0 {
        format!("{} and no destination: no relay has run on this store yet", count(overview.messages, "message"))
    } else if open > 0 {
        let verb = if open == 1 { "waits" } else { "wait" };
        format!("no worker is running, and {} {verb}", deliveries(open))
    } else {
        return None;
    };
    let command = "posthaste run".into();
    Some(Problem { kind: Kind::NoWorker, destination: None, text, command, query: None, action: None })
}

/// Whoever holds a partition delivers all of it: what a worker has no destination for waits until another one has the partition.
fn unserved(overview: &Overview, counts: &DestinationCounts) -> Option<Problem> {
    let serves = |worker: &WorkerStatus| {
        let report = worker.report.as_ref();
        report.is_none_or(|report| report.destinations.iter().any(|served| served.name == counts.destination))
    };
    let others = overview.workers.iter().filter(|worker| worker.alive && worker.partitions > 0 && !serves(worker));
    let partitions: usize = others.map(|worker| worker.partitions).sum();
    (partitions > 0 && open(counts) > 0).then(|| {
        let held = count(partitions as u64, "partition");
        let text = format!(
            "{held} of {} are held by workers without that destination: all workers of a journal need the same ones",
            counts.destination
        );
        // Which says what each worker delivers to.
        problem(Kind::NoWorker, counts, text, "posthaste status --json".into())
    })
}

/// Everything that a running worker would deliver sooner or later.
pub fn open(counts: &DestinationCounts) -> u64 {
    counts.pending
        + counts.retrying
        + counts.scheduled
        + counts.throttled
        + counts.paused_deliveries
        + counts.awaiting
        + counts.replay
}

/// A number that may be an estimate, in words.
pub fn about(counts: &DestinationCounts, number: u64, noun: &str) -> String {
    format!("{}{}", if counts.estimated { "about " } else { "" }, count(number, noun))
}

fn outage(overview: &Overview, counts: &DestinationCounts) -> Option<Problem> {
    let error = reports(overview, counts).find_map(|report| report.outage.as_deref())?;
    let text = format!("{} is out of reach: {}", counts.destination, plain::cut(error, 160));
    Some(problem(Kind::Outage, counts, text, "posthaste check".into()))
}

fn dead(_: &Overview, counts: &DestinationCounts) -> Option<Problem> {
    (counts.dead > 0).then(|| {
        let waiting = match counts.waiting {
            0 => String::new(),
            waiting => format!(", {} behind held keys", about(counts, waiting, "message")),
        };
        let text = format!("{} dead at {}{waiting}", deliveries(counts.dead), counts.destination);
        let command = format!("posthaste list --status dead --destination {}", counts.destination);
        Problem { action: Some(Action::Replay), ..problem(Kind::Dead, counts, text, command) }
    })
}

fn paused(_: &Overview, counts: &DestinationCounts) -> Option<Problem> {
    let command = || format!("posthaste resume {}", counts.destination);
    counts.paused.then(|| Problem {
        action: Some(Action::Resume),
        ..problem(Kind::Paused, counts, format!("{} is paused", counts.destination), command())
    })
}

/// Where a tenant is paused, since when and by whom, after the word `tenant`.
pub fn paused_tenant(destination: &str, pause: &TenantPause) -> String {
    let TenantPause { tenant, since, who } = pause;
    format!("{} is paused at {destination} since {}, by {}", plain::line(tenant), when::at(*since), plain::line(who))
}

fn paused_tenants(counts: &DestinationCounts) -> impl Iterator<Item = Problem> {
    counts.paused_tenants.iter().map(|pause| {
        let destination = &counts.destination;
        let command = format!("posthaste resume {destination} --tenant {}", quoted(&pause.tenant));
        problem(Kind::Paused, counts, format!("tenant {}", paused_tenant(destination, pause)), command)
    })
}

fn overfull(overview: &Overview, counts: &DestinationCounts) -> Option<Problem> {
    let lanes: usize = reports(overview, counts).map(|report| report.overfull_lanes).sum();
    (lanes > 0).then(|| {
        let text = format!("{} has stopped in {}: too many held keys", counts.destination, count(lanes as u64, "lane"));
        problem(
            Kind::Overfull,
            counts,
            text,
            format!("posthaste list --status dead --destination {}", counts.destination),
        )
    })
}

fn problem(kind: Kind, counts: &DestinationCounts, text: String, command: String) -> Problem {
    let about_dead = matches!(kind, Kind::Dead | Kind::Overfull);
    let query = about_dead.then(|| format!("status:dead destination:{}", quoted(&counts.destination)));
    Problem { kind, destination: Some(counts.destination.clone()), text, command, query, action: None }
}

/// What the workers that are alive report about a destination.
pub fn reports<'a>(
    overview: &'a Overview,
    counts: &'a DestinationCounts,
) -> impl Iterator<Item = &'a posthaste::journal::DestinationReport> {
    let alive = overview.workers.iter().filter(|worker| worker.alive);
    let reports = alive.filter_map(|WorkerStatus { report, .. }| report.as_ref());
    reports.flat_map(|report| &report.destinations).filter(|report| report.name == counts.destination)
}

pub fn deliveries(number: u64) -> String {
    if number == 1 { "1 delivery".into() } else { format!("{} deliveries", crate::output::thousands(number)) }
}

#[cfg(test)]
mod tests {
    use posthaste::journal::{DestinationReport, WorkerReport};

    use super::*;

    fn overview(counts: DestinationCounts) -> Overview {
        let counts = DestinationCounts { destination: "crm".into(), ..counts };
        Overview { messages: 10, destinations: vec![counts], workers: vec![worker(None, 0)], ..Overview::default() }
    }

    fn worker(outage: Option<&str>, overfull_lanes: usize) -> WorkerStatus {
        let report = DestinationReport {
            name: "crm".into(),
            outage: outage.map(Into::into),
            overfull_lanes,
            ..DestinationReport::default()
        };
        WorkerStatus {
            worker: "host-1".into(),
            partitions: 64,
            alive: true,
            report: Some(WorkerReport { destinations: vec![report] }),
        }
    }

    fn texts(overview: &Overview) -> Vec<String> {
        problems(overview).into_iter().map(|problem| problem.text).collect()
    }

    #[test]
    fn partitions_of_workers_without_the_destination_are_told() {
        let mut overview = overview(DestinationCounts { pending: 5, ..DestinationCounts::default() });
        assert!(texts(&overview).is_empty());
        let other = DestinationReport { name: "handlers".into(), ..DestinationReport::default() };
        let report = Some(WorkerReport { destinations: vec![other] });
        overview.workers.push(WorkerStatus { partitions: 3, report, ..worker(None, 0) });
        let told = "3 partitions of crm are held by workers without that destination: all workers of a journal need the same ones";
        assert_eq!(texts(&overview), [told]);
        overview.destinations[0].pending = 0;
        assert!(texts(&overview).is_empty(), "nothing waits for it");
    }

    #[test]
    fn a_backlog_that_a_worker_delivers_needs_nobody() {
        let busy = DestinationCounts { pending: 9, retrying: 2, waiting: 5, ..DestinationCounts::default() };
        assert_eq!(texts(&overview(busy)), [""; 0]);
    }

    #[test]
    fn dead_deliveries_need_someone() {
        let counts = DestinationCounts { dead: 2, waiting: 1, ..DestinationCounts::default() };
        assert_eq!(texts(&overview(counts)), ["2 deliveries dead at crm, 1 message behind held keys"]);
    }

    #[test]
    fn a_backlog_without_a_worker_needs_someone() {
        let mut seen = overview(DestinationCounts { pending: 1, ..DestinationCounts::default() });
        seen.workers[0].alive = false;
        assert_eq!(texts(&seen), ["no worker is running, and 1 delivery waits"]);
        seen.destinations[0].pending = 0;
        assert_eq!(texts(&seen), [""; 0]);
    }

    #[test]
    fn messages_that_no_relay_has_ever_read_need_someone() {
        let seen = Overview { messages: 3, ..Overview::default() };
        assert_eq!(texts(&seen), ["3 messages and no destination: no relay has run on this store yet"]);
    }

    #[test]
    fn an_outage_a_pause_and_too_many_held_keys_need_someone() {
        let mut seen = overview(DestinationCounts { paused: true, ..DestinationCounts::default() });
        seen.workers = vec![worker(Some("connection refused"), 2)];
        let expected = [
            "crm is out of reach: connection refused",
            "crm is paused",
            "crm has stopped in 2 lanes: too many held keys",
        ];
        assert_eq!(texts(&seen), expected);
    }
}
