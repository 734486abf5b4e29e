//! The first page: one sentence, what needs a person, and a card for each destination.

use jiff::Timestamp;
use posthaste::inspect::{DestinationCounts, Job, Overview, WorkerStatus};
use serde::Serialize;

use super::Seen;
use super::series::Series;
use crate::health::{self, Problem};
use crate::operator::JobAnswer;
use crate::output::{count, thousands, when};

/// Minutes of a sparkline.
const SPARKLINE: usize = 60;

/// Seconds that a rate is the mean of.
const RATE_OVER: u64 = 10;

#[derive(Debug, Serialize)]
pub struct Now {
    /// When the store was asked.
    pub at: Timestamp,
    pub age_seconds: f64,
    pub well: bool,
    pub sentence: String,
    pub problems: Vec<Problem>,
    pub destinations: Vec<Card>,
    pub workers: Vec<Holder>,
    pub partitions: u16,
    pub unheld_partitions: usize,
    pub messages: u64,
    pub newest: String,
    /// Those that have not ended, and those that did so lately.
    pub jobs: Vec<JobAnswer>,
}

/// One destination.
#[derive(Debug, Serialize)]
pub struct Card {
    #[serde(flatten)]
    pub counts: DestinationCounts,
    pub outage: Option<String>,
    pub in_flight: usize,
    pub delivered_per_second: Option<f64>,
    pub latency_ms: Option<f64>,
    pub sparkline: Vec<Option<f64>>,
}

#[derive(Debug, Serialize)]
pub struct Holder {
    pub worker: String,
    pub partitions: usize,
    pub alive: bool,
}

impl Now {
    /// Of an overview that was made at some time, seen at the second `now`.
    pub fn of(seen: &Seen, age_seconds: f64, series: &Series, now: u64) -> Self {
        let Seen { overview, at, jobs, .. } = seen;
        let problems = health::problems(overview);
        let mut destinations: Vec<Card> =
            overview.destinations.iter().map(|counts| card(overview, counts, series, now)).collect();
        destinations.sort_by_key(|card| std::cmp::Reverse(badness(card)));
        let holder = |worker: &WorkerStatus| Holder {
            worker: worker.worker.clone(),
            partitions: worker.partitions,
            alive: worker.alive,
        };
        Self {
            at: *at,
            age_seconds,
            well: problems.is_empty(),
            sentence: sentence(seen, &problems),
            problems,
            destinations,
            workers: overview.workers.iter().map(holder).collect(),
            partitions: overview.partitions,
            unheld_partitions: overview.unheld_partitions,
            messages: overview.messages,
            newest: overview.newest.to_string(),
            jobs: jobs.iter().filter(|job| is_news(job, *at)).cloned().map(JobAnswer::from).collect(),
        }
    }
}

/// A job that ended is shown for a minute.
fn is_news(job: &Job, now: Timestamp) -> bool {
    job.ended_at.is_none_or(|ended| now.duration_since(ended).as_secs() < 60)
}

pub fn card(overview: &Overview, counts: &DestinationCounts, series: &Series, now: u64) -> Card {
    let reports: Vec<_> = health::reports(overview, counts).collect();
    let traffic = series.latest(now, &counts.destination, RATE_OVER).traffic;
    Card {
        counts: counts.clone(),
        outage: reports.iter().find_map(|report| report.outage.clone()),
        in_flight: reports.iter().map(|report| report.in_flight).sum(),
        delivered_per_second: traffic.map(|traffic| traffic.delivered_per_second()),
        latency_ms: traffic.and_then(|traffic| traffic.latency_ms()),
        sparkline: series.sparkline(now, &counts.destination, SPARKLINE),
    }
}

/// Worst first: out of reach, blocked keys, dead, paused, and then the oldest.
fn badness(card: &Card) -> (bool, u64, u64, bool, u64, u64) {
    let Card { counts, .. } = card;
    let blocked = if counts.dead > 0 { counts.held_keys } else { 0 };
    let age = counts.oldest_pending_seconds.unwrap_or_default() as u64;
    (card.outage.is_some(), blocked, counts.dead, counts.paused, age, counts.pending)
}

/// How it is, in one sentence.
fn sentence(seen: &Seen, problems: &[Problem]) -> String {
    let overview = &seen.overview;
    let Some(first) = problems.first() else { return good(overview) };
    let others = problems.len() - 1;
    let counts = overview.destinations.iter().find(|counts| Some(&counts.destination) == first.destination.as_ref());
    let text = match counts {
        Some(counts) if first.kind == health::Kind::Dead && counts.held_keys > 0 => {
            let wait = if counts.waiting == 1 { "waits" } else { "wait" };
            let (keys, waiting) = (count(counts.held_keys, "key"), health::about(counts, counts.waiting, "message"));
            let since = seen.blocked_since.get(&counts.destination);
            let how_long = since.map(|since| format!(" for {}", when::span(*since, seen.at))).unwrap_or_default();
            format!("{}: {keys} blocked{how_long}, {waiting} {wait}", counts.destination)
        }
        Some(counts) if first.kind == health::Kind::Outage => {
            let open = health::open(counts);
            let wait = if open == 1 { "waits" } else { "wait" };
            format!("{} is out of reach, {} {wait}", counts.destination, health::deliveries(open))
        }
        _ => first.text.clone(),
    };
    if others == 0 { text } else { format!("{text}; and {} more", thousands(others as u64)) }
}

fn good(overview: &Overview) -> String {
    let open: u64 = overview.destinations.iter().map(health::open).sum();
    match (overview.destinations.is_empty(), open) {
        (true, _) => "No destination yet: no relay has run on this store".into(),
        (false, 0) => "All is well: everything is delivered".into(),
        (false, open) => {
            let verb = if open == 1 { "is" } else { "are" };
            format!("All is well: {} {verb} on the way", health::deliveries(open))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use jiff::ToSpan;

    use super::*;

    fn overview(counts: Vec<DestinationCounts>) -> Overview {
        let worker = WorkerStatus { worker: "w".into(), partitions: 64, alive: true, report: None };
        Overview { messages: 9, destinations: counts, workers: vec![worker], ..Overview::default() }
    }

    fn now(counts: Vec<DestinationCounts>) -> Now {
        let seen = Seen {
            overview: Arc::new(overview(counts)),
            jobs: Vec::new(),
            blocked_since: Arc::new([("late".to_owned(), Timestamp::UNIX_EPOCH - 42.minutes())].into()),
            at: Timestamp::UNIX_EPOCH,
            asked: Instant::now(),
        };
        Now::of(&seen, 0.0, &Series::default(), 100)
    }

    fn counts(name: &str) -> DestinationCounts {
        DestinationCounts { destination: name.into(), ..DestinationCounts::default() }
    }

    #[test]
    fn one_sentence_says_how_it_is() {
        assert_eq!(now(vec![counts("a")]).sentence, "All is well: everything is delivered");
        let busy = DestinationCounts { pending: 1, ..counts("a") };
        assert_eq!(now(vec![busy]).sentence, "All is well: 1 delivery is on the way");
        let blocked = DestinationCounts { dead: 3, held_keys: 3, waiting: 1_204, ..counts("billing") };
        assert_eq!(now(vec![blocked.clone()]).sentence, "billing: 3 keys blocked, 1,204 messages wait");
        let late = DestinationCounts { destination: "late".into(), ..blocked.clone() };
        assert_eq!(now(vec![late]).sentence, "late: 3 keys blocked for 42m, 1,204 messages wait");
        let paused = DestinationCounts { paused: true, ..counts("b") };
        assert_eq!(now(vec![paused, blocked]).sentence, "billing: 3 keys blocked, 1,204 messages wait; and 1 more");
    }

    #[test]
    fn the_worst_destination_comes_first() {
        let dead = DestinationCounts { dead: 3, ..counts("dead") };
        let blocked = DestinationCounts { dead: 1, held_keys: 1, ..counts("blocked") };
        let paused = DestinationCounts { paused: true, ..counts("paused") };
        let late = DestinationCounts { oldest_pending_seconds: Some(50.0), ..counts("late") };
        let now = now(vec![counts("good"), late, paused, dead, blocked]);
        let names: Vec<_> = now.destinations.iter().map(|card| card.counts.destination.as_str()).collect();
        assert_eq!(names, ["blocked", "dead", "paused", "late", "good"]);
    }
}
