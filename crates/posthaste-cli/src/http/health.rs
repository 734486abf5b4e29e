//! What an orchestrator asks.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use posthaste::duration;
use posthaste::inspect::{DestinationCounts, Overview};
use serde::Serialize;

use super::App;
use crate::config::ReadyPlan;
use crate::health;

/// The relay's loop comes round every second or so. One that has not for this long is stuck, and only a restart helps.
const STUCK_AFTER: Duration = Duration::from_secs(60);

#[derive(Serialize)]
pub struct Alive {
    alive: bool,
    text: String,
}

pub async fn livez(State(app): State<App>) -> (StatusCode, Json<Alive>) {
    match app.0.monitor.silent_for().filter(|silence| *silence > STUCK_AFTER) {
        None => (StatusCode::OK, Json(Alive { alive: true, text: "ok".into() })),
        Some(silence) => {
            let text = format!("the relay has done nothing for {}", duration::brief(silence));
            (StatusCode::SERVICE_UNAVAILABLE, Json(Alive { alive: false, text }))
        }
    }
}

/// Whether the relay keeps up, and what says so.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Readiness {
    ready: bool,
    reasons: Vec<String>,
    destinations: Vec<DestinationReadiness>,
}

#[derive(Debug, PartialEq, Serialize)]
struct DestinationReadiness {
    destination: String,
    pending: u64,
    oldest_pending_seconds: Option<f64>,
    dead: u64,
    paused: bool,
    outage: bool,
}

pub async fn readyz(State(app): State<App>) -> (StatusCode, Json<Readiness>) {
    let mut readiness = match app.overview().await {
        Ok(overview) => readiness(&overview, app.0.ready),
        Err(error) => {
            Readiness { reasons: vec![format!("the store does not answer: {error}")], ..Readiness::default() }
        }
    };
    if app.0.stopping.load(Ordering::Relaxed) {
        readiness.ready = false;
        readiness.reasons.push("the relay stops".into());
    }
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness))
}

fn readiness(overview: &Overview, limits: ReadyPlan) -> Readiness {
    let reasons: Vec<String> = overview.destinations.iter().filter_map(|counts| backlog(counts, limits)).collect();
    let of = |counts: &DestinationCounts| DestinationReadiness {
        destination: counts.destination.clone(),
        pending: counts.pending,
        oldest_pending_seconds: counts.oldest_pending_seconds,
        dead: counts.dead,
        paused: counts.paused,
        outage: health::reports(overview, counts).any(|report| report.outage.is_some()),
    };
    Readiness { ready: reasons.is_empty(), reasons, destinations: overview.destinations.iter().map(of).collect() }
}

/// A destination that someone paused is meant to have a backlog.
fn backlog(counts: &DestinationCounts, limits: ReadyPlan) -> Option<String> {
    if counts.paused {
        return None;
    }
    let name = &counts.destination;
    if limits.max_pending.is_some_and(|most| counts.pending > most) {
        return Some(format!("{name} has {} pending messages", counts.pending));
    }
    let age = Duration::try_from_secs_f64(counts.oldest_pending_seconds?).ok()?;
    limits.max_age.filter(|most| age > *most).map(|_| format!("{name} is {} behind", duration::brief(age)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(counts: DestinationCounts) -> Vec<String> {
        let limits = ReadyPlan { max_pending: Some(100), max_age: Some(Duration::from_secs(60)) };
        let counts = DestinationCounts { destination: "crm".into(), ..counts };
        readiness(&Overview { destinations: vec![counts], ..Overview::default() }, limits).reasons
    }

    #[test]
    fn a_backlog_is_too_long_or_too_old() {
        let counts = |pending, age, paused| DestinationCounts {
            pending,
            oldest_pending_seconds: age,
            paused,
            ..DestinationCounts::default()
        };
        assert_eq!(reasons(counts(100, Some(60.0), false)), [""; 0]);
        assert_eq!(reasons(counts(101, Some(1.0), false)), ["crm has 101 pending messages"]);
        assert_eq!(reasons(counts(1, Some(61.0), false)), ["crm is 1m 1s behind"]);
        assert_eq!(reasons(counts(101, Some(61.0), true)), [""; 0]);
        assert_eq!(reasons(counts(0, None, false)), [""; 0]);
    }
}
