//! Failures in groups: what failed at the same destination in the same way.
//!
//! There may be millions. So many as fit into a moment are looked at, the newest first, and the answer says whether that was all.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use posthaste::inspect::{Filter, Listed, Page, Status};
use posthaste::journal::Position;
use serde::Serialize;

use self::normalise::normalise;
use crate::operator::Operator;
use crate::selection::{Selection, line};

mod normalise;

/// Deliveries that are looked at, at most.
const MOST: usize = 20_000;

/// How long they are looked at.
const PATIENCE: Duration = Duration::from_millis(400);

/// Deliveries in one question to the store.
const AT_ONCE: usize = 500;

/// Points of a trend.
const TREND: usize = 24;

#[derive(Debug, Serialize)]
pub struct Failures {
    pub groups: Vec<Group>,
    /// Deliveries that were looked at, the newest first.
    pub examined: usize,
    /// Whether these are all that there are.
    pub complete: bool,
    pub trend_start: Timestamp,
    pub trend_step_seconds: f64,
}

/// What failed at one destination in one way.
#[derive(Debug, Serialize)]
pub struct Group {
    pub destination: String,
    pub status: Status,
    pub error: String,
    pub count: usize,
    pub keys: usize,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub trend: Vec<usize>,
    /// The newest of them.
    pub sample: Sample,
    /// Finds all of them.
    pub query: String,
}

#[derive(Debug, Serialize)]
pub struct Sample {
    pub id: String,
    pub key: Option<String>,
    pub event_type: String,
    pub error: Option<String>,
    pub occurred_at: Timestamp,
    pub attempts: u32,
}

/// Looks at the failures that the filter selects; at dead and retrying deliveries unless it says otherwise.
pub async fn find(operator: &Operator, filter: &Filter, now: Timestamp) -> posthaste::Result<Failures> {
    let mut filter = filter.clone();
    if filter.statuses.is_empty() {
        filter.statuses = vec![Status::Dead, Status::Retrying];
    }
    let (began, mut before) = (Instant::now(), Position::END);
    let mut found = Found::default();
    let complete = loop {
        let listing = operator.list(&filter, Page::before(before, AT_ONCE), Some(Duration::ZERO)).await?;
        listing.rows.into_iter().for_each(|row| found.add(row));
        match listing.next {
            None => break true,
            Some(_) if found.examined >= MOST || began.elapsed() >= PATIENCE => break false,
            Some(next) => before = next,
        }
    };
    Ok(found.groups(&filter, complete, now))
}

/// What makes two failures the same.
type Sameness = (String, Status, String);

#[derive(Default)]
struct Found {
    groups: HashMap<Sameness, Vec<Listed>>,
    examined: usize,
}

impl Found {
    fn add(&mut self, row: Listed) {
        let (Some(destination), Some(status)) = (row.destination.clone(), row.status) else { return };
        self.examined += 1;
        let error = row.error.as_deref().map(normalise).unwrap_or_default();
        self.groups.entry((destination, status, error)).or_default().push(row);
    }

    fn groups(self, filter: &Filter, complete: bool, now: Timestamp) -> Failures {
        let times = || self.groups.values().flatten().map(|row| row.occurred_at);
        let start = times().min().unwrap_or(now).min(now);
        let step = (now.duration_since(start).as_secs_f64() / TREND as f64).max(1.0);
        let trend = Trend { start, step };
        let examined = self.examined;
        let mut groups: Vec<Group> =
            self.groups.into_iter().filter_map(|(same, rows)| group(same, &rows, filter, trend)).collect();
        groups.sort_by(|a, b| {
            b.count.cmp(&a.count).then_with(|| (&a.destination, &a.error).cmp(&(&b.destination, &b.error)))
        });
        Failures { groups, examined, complete, trend_start: start, trend_step_seconds: step }
    }
}

#[derive(Debug, Clone, Copy)]
struct Trend {
    start: Timestamp,
    step: f64,
}

impl Trend {
    fn of(self, rows: &[Listed]) -> Vec<usize> {
        let mut trend = vec![0; TREND];
        for row in rows {
            let place = row.occurred_at.duration_since(self.start).as_secs_f64() / self.step;
            trend[(place.max(0.0) as usize).min(TREND - 1)] += 1;
        }
        trend
    }
}

/// `None` for no rows.
fn group((destination, status, error): Sameness, rows: &[Listed], filter: &Filter, trend: Trend) -> Option<Group> {
    let newest = rows.iter().max_by_key(|row| row.occurred_at)?;
    let first_seen = rows.iter().map(|row| row.occurred_at).min()?;
    let keys: HashSet<_> = rows.iter().filter_map(|row| Some((&row.tenant, row.key.as_ref()?))).collect();
    let of_group = Filter {
        statuses: vec![status],
        destination: Some(destination.as_str().into()),
        error: Some(error.clone()).filter(|error| !error.is_empty()),
        ..filter.clone()
    };
    Some(Group {
        query: line::write(&Selection::from(&of_group)),
        destination,
        status,
        error,
        count: rows.len(),
        keys: keys.len(),
        first_seen,
        last_seen: newest.occurred_at,
        trend: trend.of(rows),
        sample: Sample {
            id: newest.id.to_string(),
            key: newest.key.clone(),
            event_type: newest.event_type.clone(),
            error: newest.error.clone(),
            occurred_at: newest.occurred_at,
            attempts: newest.attempts,
        },
    })
}

#[cfg(test)]
mod tests {
    use posthaste::message::Message;

    use super::*;

    fn failed(key: &str, error: &str, second: i64) -> Listed {
        let message = Message::builder("order.paid", "order", key).build().unwrap();
        Listed {
            destination: Some("crm".into()),
            status: Some(Status::Dead),
            error: Some(error.into()),
            occurred_at: Timestamp::from_second(second).unwrap(),
            ..Listed::new(Position::seq(1), &message)
        }
    }

    #[test]
    fn what_failed_in_the_same_way_is_one_group() {
        let mut found = Found::default();
        found.add(failed("1", "answered 503: request 17", 0));
        found.add(failed("1", "answered 503: request 18", 60));
        found.add(failed("2", "answered 503: request 19", 240));
        found.add(failed("3", "answered 404: request 20", 120));
        let failures = found.groups(&Filter::default(), true, Timestamp::from_second(240).unwrap());
        let said: Vec<_> =
            failures.groups.iter().map(|group| (group.error.as_str(), group.count, group.keys)).collect();
        assert_eq!(said, [("answered 503: request *", 3, 2), ("answered 404: request *", 1, 1)]);
        let first = &failures.groups[0];
        assert_eq!(first.query, "status:dead destination:crm error:\"answered 503: request *\"");
        assert_eq!((first.first_seen.as_second(), first.last_seen.as_second()), (0, 240));
        assert_eq!((first.trend[0], first.trend[6], first.trend[23]), (1, 1, 1));
        assert_eq!(first.sample.error.as_deref(), Some("answered 503: request 19"));
    }
}
