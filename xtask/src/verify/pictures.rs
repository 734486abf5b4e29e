//! Pictures of what is on record, beside the page: SVG files that follow the reader's choice of dark or light.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use serde_json::Value;

use crate::bench::charts::theme::{self, OTHERS};

pub const FOLDER: &str = "docs/pictures";

const SIZE: (u32, u32) = (860, 260);
const COLOURS: [RGBColor; 5] = [
    theme::OURS,
    RGBColor(0xd1, 0x6d, 0x2f),
    RGBColor(0x3b, 0x6f, 0xd4),
    RGBColor(0xb0, 0x4f, 0xa8),
    RGBColor(0x9a, 0x8b, 0x1f),
];

/// What each picture shows, by the name of its file.
pub const TITLES: [(&str, &str); 3] = [
    ("chaos-rate", "deliveries a second to the endpoint of each store"),
    (
        "chaos-lag",
        "longest wait from writing to arrival, in seconds; behind a refused message it lasts until an operator acts",
    ),
    ("chaos-takeovers", "takeovers: seconds until the slowest key went on"),
];

/// Above this many seconds the axis has minutes.
const LONG: f64 = 600.0;

/// Curves or points over the seconds of a run.
struct Picture {
    title: &'static str,
    lines: Vec<Line>,
    joined: bool,
}

/// What it is of, and its points.
type Line = (String, Vec<(f64, f64)>);

pub fn file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.svg"))
}

/// The pictures of a chaos run, by their names.
pub fn of_chaos(result: &Value) -> Result<Vec<(&'static str, String)>> {
    let lines = [curves(result, "rate", 1.0), curves(result, "lag_max_ms", 1_000.0), takeovers(result)];
    let mut drawn = Vec::new();
    for ((name, title), lines) in TITLES.into_iter().zip(lines) {
        if lines.iter().any(|(_, points)| !points.is_empty()) {
            drawn.push((name, draw(&Picture { title, lines, joined: name != "chaos-takeovers" })?));
        }
    }
    Ok(drawn)
}

/// A figure of each store over time, in this many for one.
fn curves(result: &Value, figure: &str, unit: f64) -> Vec<Line> {
    let curve = |series: &Value| {
        let width = series["seconds_of_a_point"].as_f64().unwrap_or(1.0);
        let values = series[figure].as_array().into_iter().flatten().enumerate();
        let points = values.filter_map(|(nth, value)| Some((nth as f64 * width, value.as_f64()? / unit)));
        (series["store"].as_str().unwrap_or_default().to_owned(), points.collect())
    };
    result["series"].as_array().into_iter().flatten().map(curve).collect()
}

fn takeovers(result: &Value) -> Vec<Line> {
    let kinds = [
        ("after kill -9", "after_kill"),
        ("after SIGTERM", "after_stop"),
        ("after the end of a freeze", "after_freeze"),
    ];
    let line = |(what, name): (&str, &str)| {
        let each = result["takeovers"][name]["each"].as_array().into_iter().flatten();
        let points = each.filter_map(|pair| Some((pair[0].as_f64()?, pair[1].as_f64()? / 1_000.0)));
        (what.to_owned(), points.collect())
    };
    kinds.map(line).into()
}

fn draw(picture: &Picture) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw_on(&area, picture).map_err(|error| anyhow!("cannot draw {}: {error}", picture.title))?;
        area.present().context("cannot draw")?;
    }
    Ok(theme::adapt(&svg) + "\n")
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn draw_on(area: &DrawingArea<SVGBackend, Shift>, picture: &Picture) -> Drawn {
    area.draw_text(picture.title, &theme::text(14, HPos::Left), (12, 16))?;
    let points = || picture.lines.iter().flat_map(|(_, points)| points);
    let last = points().fold(1.0_f64, |last, (at, _)| last.max(*at));
    let most = points().fold(0.1_f64, |most, (_, value)| most.max(*value));
    let mut builder = ChartBuilder::on(area);
    builder.margin_top(52).margin_right(24).x_label_area_size(28).y_label_area_size(64);
    let mut chart = builder.build_cartesian_2d(0.0..last * 1.01, 0.0..most * 1.1)?;
    let (unit, seconds) = if last > LONG { ("min", 60.0) } else { ("s", 1.0) };
    let digits = if most < 10.0 { 1 } else { 0 };
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).bold_line_style(OTHERS.mix(0.3)).axis_style(OTHERS);
    mesh.label_style(("sans-serif", 12)).x_labels(10).y_labels(5);
    let (when, what) = (|at: &f64| format!("{:.0} {unit}", at / seconds), |value: &f64| format!("{value:.digits$}"));
    mesh.x_label_formatter(&when).y_label_formatter(&what).draw()?;
    for (nth, (name, points)) in picture.lines.iter().enumerate() {
        let colour = COLOURS[nth % COLOURS.len()];
        let left = 76 + 170 * nth as i32;
        area.draw(&Circle::new((left, 38), 4, colour.filled()))?;
        area.draw_text(name, &theme::text(12, HPos::Left), (left + 10, 38))?;
        if picture.joined {
            chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        } else {
            chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_drawn_with_every_store_and_takeover() -> Result<()> {
        let series =
            |store| json!({ "store": store, "seconds_of_a_point": 2.0, "rate": [1, 50], "lag_max_ms": [null, 9] });
        let takeovers = json!({ "after_kill": { "each": [[3, 2_900]] }, "after_stop": { "each": [] } });
        let pictures = of_chaos(&json!({ "series": [series("sqlite"), series("mongodb")], "takeovers": takeovers }))?;
        assert_eq!(
            pictures.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["chaos-rate", "chaos-lag", "chaos-takeovers"]
        );
        assert!(pictures[0].1.contains("sqlite") && pictures[0].1.contains("mongodb"));
        assert!(pictures[2].1.contains("after kill -9"));
        assert!(
            pictures[2].1.contains("3.0")
                && pictures[0].1.contains("2 s")
                && pictures[0].1.contains("color-scheme: dark")
        );
        assert!(of_chaos(&json!({}))?.is_empty());
        Ok(())
    }
}
