//! The pictures of peers: what is drained at which price, how long messages wait, and what a write costs.

use anyhow::{Context, Result};
use serde_json::Value;

use super::bars::{Bar, Panel};
use crate::bench::peers::SUBJECTS;

pub fn draining(result: &Value) -> Result<Vec<Panel>> {
    Ok(vec![
        panel(result, "Messages drained per second", "drain_per_s", None)?,
        panel(result, "Processor time of the database for each message, in µs", "drain_cpu_us", None)?,
        panel(result, "Write-ahead log for each delivered message, in bytes", "drain_wal", None)?,
    ])
}

pub fn waiting(result: &Value) -> Result<Vec<Panel>> {
    Ok(vec![
        panel(result, "Wait at 1,000 messages per second, in ms: p50 · p99", "busy_p50_ms", Some("busy_p99_ms"))?,
        panel(result, "Wait of one message on an idle system, in ms: p50 · p99", "idle_p50_ms", Some("idle_p99_ms"))?,
    ])
}

pub fn writing(result: &Value) -> Result<Vec<Panel>> {
    Ok(vec![
        panel(result, "Time of a transaction with one message, in µs", "single_us", None)?,
        panel(result, "Time of each message, 1,000 in a transaction, in µs", "bulk_us", None)?,
        panel(result, "Write-ahead log of each message, 1,000 in a transaction, in bytes", "bulk_wal", None)?,
    ])
}

/// Every subject that has the figure, in the usual order.
fn panel(result: &Value, title: &str, figure: &str, beyond: Option<&str>) -> Result<Panel> {
    let medians = result["medians"].as_object().context("a result without medians")?;
    let of_subject = |name: &str| {
        let figures = medians.get(name)?;
        let value = figures.get(figure)?.as_f64()?;
        let beyond = beyond.and_then(|beyond| figures.get(beyond)?.as_f64());
        Some(Bar { label: name.to_owned(), value, beyond, ours: name.starts_with("posthaste") })
    };
    let bars: Vec<Bar> = SUBJECTS.iter().filter_map(|subject| of_subject(subject.name)).collect();
    (!bars.is_empty()).then_some(()).with_context(|| format!("nobody has a figure {figure}"))?;
    Ok(Panel { title: title.to_owned(), bars })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_those_who_have_a_figure_are_shown() {
        let result = json!({ "medians": {
            "River": { "busy_p50_ms": 3.0, "busy_p99_ms": 9.0 },
            "claim loop": { "busy_p50_ms": 2.0, "busy_p99_ms": 8.0, "drain_per_s": 1.0 },
        } });
        let waits = panel(&result, "waits", "busy_p50_ms", Some("busy_p99_ms")).unwrap();
        let shown: Vec<_> = waits.bars.iter().map(|bar| (bar.label.as_str(), bar.value, bar.beyond)).collect();
        assert_eq!(shown, [("claim loop", 2.0, Some(8.0)), ("River", 3.0, Some(9.0))]);
        assert_eq!(panel(&result, "drained", "drain_per_s", None).unwrap().bars.len(), 1);
        assert!(panel(&result, "other", "other", None).is_err());
        assert!(panel(&json!({}), "drained", "drain_per_s", None).is_err());
    }
}
