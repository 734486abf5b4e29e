//! Prometheus' text format.

use std::fmt::Write;

use super::catalog::{Facts, Kind, Metric, Sample, Value};

/// Writes a metric with all its samples; one without samples is left out.
pub fn write(metric: &Metric, facts: &Facts<'_>, text: &mut String) {
    let samples = (metric.read)(facts);
    if samples.is_empty() {
        return;
    }
    let kind = match metric.kind {
        Kind::Gauge => "gauge",
        Kind::Counter => "counter",
        Kind::Histogram => "histogram",
    };
    let name = metric.name;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", metric.help);
    for Sample { labels, value } in samples {
        let labels: Vec<String> =
            metric.labels.iter().zip(&labels).map(|(label, value)| format!("{label}=\"{}\"", escape(value))).collect();
        match value {
            Value::Number(number) => {
                let _ = writeln!(text, "{name}{} {number}", braces(&labels, None));
            }
            Value::Histogram(histogram) => {
                for (bound, count) in histogram.cumulative() {
                    let _ = writeln!(text, "{name}_bucket{} {count}", braces(&labels, Some(&bound.to_string())));
                }
                let (count, sum) = (histogram.count(), histogram.sum().as_secs_f64());
                let _ = writeln!(text, "{name}_bucket{} {count}", braces(&labels, Some("+Inf")));
                let _ = writeln!(text, "{name}_sum{0} {sum}\n{name}_count{0} {count}", braces(&labels, None));
            }
        }
    }
}

fn braces(labels: &[String], bound: Option<&str>) -> String {
    let bound = bound.map(|bound| format!("le=\"{bound}\""));
    let all: Vec<&str> = labels.iter().map(String::as_str).chain(bound.as_deref()).collect();
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
