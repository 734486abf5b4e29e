//! Metrics in Prometheus' text format. The relay (`posthaste::relay::Monitor`) and the store (`Inspect::overview`) count; this module
//! only names the figures.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use self::catalog::{Facts, METRICS};
use super::App;
use super::problem::Problem;

mod catalog;
mod exposition;
#[cfg(test)]
mod tests;

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// While the store does not answer, only its own figures are missing.
pub async fn serve(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let overview = app.overview().await;
    let facts = Facts {
        overview: overview.as_deref().ok(),
        snapshot: &app.0.monitor.snapshot(),
        tally: &app.0.monitor.tally(),
    };
    let mut text = String::new();
    METRICS.iter().for_each(|metric| exposition::write(metric, &facts, &mut text));
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text))
}
