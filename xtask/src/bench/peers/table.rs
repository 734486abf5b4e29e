//! The figures for people: one line for each subject, and how each compares with the claim loop.

use super::subject::BASELINE;
use super::{Figures, Round, SUBJECTS};

/// Figure and heading.
const COLUMNS: &[(&str, &str)] = &[
    ("drain_per_s", "drained/s"),
    ("drain_cpu_us", "CPU µs"),
    ("drain_wal", "WAL B"),
    ("memory_mb", "MB"),
    ("busy_p50_ms", "p50 ms"),
    ("busy_p99_ms", "p99 ms"),
    ("idle_p50_ms", "idle p50"),
    ("idle_p99_ms", "idle p99"),
    ("single_us", "single µs"),
    ("single_wal", "WAL B"),
    ("bulk_us", "bulk µs"),
    ("bulk_cpu_us", "CPU µs"),
    ("bulk_wal", "WAL B"),
];

pub fn render(medians: &Round) -> String {
    let mut lines = vec![line("", COLUMNS.iter().map(|(_, heading)| (*heading).to_owned()))];
    let measured = || SUBJECTS.iter().filter_map(|subject| Some((subject.name, medians.get(subject.name)?)));
    for (name, figures) in measured() {
        lines.push(line(name, COLUMNS.iter().map(|(figure, _)| value(figures, figure))));
    }
    if let Some(baseline) = medians.get(BASELINE) {
        lines.push(format!("\nof the {BASELINE}:"));
        for (name, figures) in measured().filter(|(name, _)| *name != BASELINE) {
            lines.push(line(name, COLUMNS.iter().map(|(figure, _)| ratio(figures, baseline, figure))));
        }
    }
    lines.join("\n") + "\n"
}

fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell:>9}")).collect();
    format!("{name:<29}{cells}").trim_end().to_owned()
}

fn value(figures: &Figures, figure: &str) -> String {
    match figures.get(figure) {
        None => "–".into(),
        Some(value) if *value < 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

fn ratio(figures: &Figures, baseline: &Figures, figure: &str) -> String {
    let of = figures.get(figure).zip(baseline.get(figure)).map(|(value, of)| value / of);
    of.filter(|ratio| ratio.is_finite()).map_or("–".into(), |ratio| format!("{ratio:.2}×"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_was_not_measured_is_a_dash_and_others_are_compared() {
        let claim = Figures::from([("drain_per_s", 12_000.0), ("busy_p50_ms", 2.0), ("drain_wal", 0.0)]);
        let ours = Figures::from([("drain_per_s", 96_000.0), ("drain_wal", 12.5)]);
        let table = render(&Round::from([(BASELINE, claim), ("posthaste, stdout, key each", ours)]));
        let line = |nth: usize| table.lines().nth(nth).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(line(1)[2..7], ["12000", "–", "0.0", "–", "2.0"]);
        assert_eq!(line(2)[4..8], ["96000", "–", "12.5", "–"]);
        assert_eq!(line(5)[4..8], ["8.00×", "–", "–", "–"]);
    }
}
