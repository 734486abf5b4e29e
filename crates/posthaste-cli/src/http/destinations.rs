//! One destination: how it is, how it is served, how fast it answers.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use posthaste::duration::brief;
use posthaste::relay::Histogram;
use posthaste::retry::{Backoff, OnDead};
use posthaste::{Destination, destination::Rate};
use serde::Serialize;

use super::App;
use super::live::now::{Card, card};
use super::live::recorder::second;
use super::problem::Problem;

#[derive(Serialize)]
pub struct Answer {
    destination: String,
    counts: Card,
    /// `None` if the config does not name it.
    served: Option<Served>,
    breaker: Breaker,
    /// `None` if this process does not serve it.
    latency: Option<Latency>,
}

/// The config in force.
#[derive(Serialize)]
struct Served {
    route: Vec<String>,
    max_attempts: u32,
    backoff: String,
    on_dead: &'static str,
    dead_letters_to: Option<String>,
    max_in_flight: usize,
    max_run: usize,
    timeout_seconds: f64,
    rate: Option<String>,
    tenant_rate: Option<String>,
}

#[derive(Serialize)]
struct Breaker {
    state: &'static str,
    error: Option<String>,
}

/// Since the relay started; each figure but the mean is the bound of a bucket.
#[derive(Serialize)]
struct Latency {
    count: u64,
    mean_ms: f64,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
}

pub async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Json<Answer>, Problem> {
    let overview = app.overview().await?;
    let counts = overview.destinations.iter().find(|counts| counts.destination == name);
    let counts = counts.ok_or_else(|| Problem::new(404, format!("no destination is called {name}")))?;
    let counts = card(&overview, counts, &app.0.live.series(), second());
    let breaker =
        Breaker { state: if counts.outage.is_some() { "open" } else { "closed" }, error: counts.outage.clone() };
    let operator = app.operator();
    let served = operator.destinations().iter().find(|served| served.name.as_str() == name).map(served);
    let latency = latency(&app, &name);
    Ok(Json(Answer { destination: name, counts, served, breaker, latency }))
}

fn served(destination: &Destination) -> Served {
    let rate = |rate: Rate| format!("{} a second, bursts of {}", rate.per_second, rate.burst);
    Served {
        route: destination.route.patterns().to_vec(),
        max_attempts: destination.policy.max_attempts,
        backoff: backoff(&destination.policy.backoff),
        on_dead: match destination.policy.on_dead {
            OnDead::Block => "block",
            OnDead::Skip => "skip",
        },
        dead_letters_to: destination.dead_letters_to.as_ref().map(ToString::to_string),
        max_in_flight: destination.max_in_flight,
        max_run: destination.max_run,
        timeout_seconds: destination.timeout.as_secs_f64(),
        rate: destination.rate.map(rate),
        tenant_rate: destination.tenant_rate.map(rate),
    }
}

fn backoff(backoff: &Backoff) -> String {
    match backoff {
        Backoff::Exponential { first, cap, .. } => {
            format!("exponential from {} to {}", brief(*first), brief(*cap))
        }
        Backoff::Linear { step, cap } => format!("linear by {} to {}", brief(*step), brief(*cap)),
        Backoff::List(delays) => {
            let delays: Vec<String> = delays.iter().map(|delay: &Duration| brief(*delay)).collect();
            delays.join(", ")
        }
    }
}

fn latency(app: &App, name: &str) -> Option<Latency> {
    let place = app.0.monitor.snapshot().destinations.iter().position(|seen| seen.name == name)?;
    let histogram = app.0.monitor.tally().deliveries.get(place).cloned().unwrap_or_default();
    let count = histogram.count();
    let mean_ms = histogram.sum().as_secs_f64() * 1_000.0 / count.max(1) as f64;
    let at = |share| quantile_ms(&histogram, share);
    Some(Latency { count, mean_ms, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) })
}

/// The bound that so large a share took no longer than; `None` if there is none.
fn quantile_ms(histogram: &Histogram, share: f64) -> Option<f64> {
    let count = histogram.count();
    let wanted = (count as f64 * share).ceil() as u64;
    let mut bounds = histogram.cumulative();
    bounds.find(|(_, upto)| count > 0 && *upto >= wanted).map(|(bound, _)| bound * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_bound_of_its_bucket() {
        let mut histogram = Histogram::default();
        assert_eq!(quantile_ms(&histogram, 0.5), None);
        for millis in [2, 2, 2, 40, 60_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        assert_eq!(quantile_ms(&histogram, 0.5), Some(2.5));
        assert_eq!(quantile_ms(&histogram, 0.8), Some(50.0));
        assert_eq!(quantile_ms(&histogram, 0.99), None, "longer than every bound");
    }
}
