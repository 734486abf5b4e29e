//! Curves over steps that grow tenfold or so: one panel for each thing that was changed, two side by side.

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use serde_json::Value;

use super::bars::number;
use super::theme::{self, OTHERS, OURS};

const PANEL: (u32, u32) = (420, 230);

/// One question over what was changed.
#[derive(Debug, PartialEq)]
struct Panel {
    title: String,
    steps: Vec<String>,
    /// The first is the main one.
    lines: Vec<Vec<f64>>,
}

/// Figures of all curves of a result, each over its steps. `title` is what they show.
pub fn draw(result: &Value, title: &str, figures: &[&str]) -> Result<String> {
    let curves = result["curves"].as_array().context("a result without curves")?;
    let panels = curves.iter().map(|curve| panel(curve, title, figures)).collect::<Result<Vec<_>>>()?;
    let rows = panels.len().div_ceil(2) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (2 * PANEL.0, rows * PANEL.1)).into_drawing_area();
        for (part, panel) in area.split_evenly((rows as usize, 2)).iter().zip(&panels) {
            draw_panel(part, panel).map_err(|error| anyhow!("cannot draw {}: {error}", panel.title))?;
        }
        area.present()?;
    }
    Ok(theme::adapt(&svg))
}

fn panel(curve: &Value, title: &str, figures: &[&str]) -> Result<Panel> {
    let points = curve["points"].as_array().context("a curve without points")?;
    let line = |figure: &&str| {
        points
            .iter()
            .map(|point| point[*figure].as_f64())
            .collect::<Option<Vec<_>>>()
            .context("a point without a figure")
    };
    Ok(Panel {
        title: format!("{title} / {}", curve["title"].as_str().unwrap_or_default()),
        steps: points.iter().map(|point| short(point["at"].as_f64().unwrap_or_default())).collect(),
        lines: figures.iter().map(line).collect::<Result<_>>()?,
    })
}

/// `10k`, `1M`.
fn short(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => value.to_string(),
    }
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn draw_panel(area: &DrawingArea<SVGBackend, Shift>, panel: &Panel) -> Drawn {
    area.draw_text(&panel.title, &theme::text(14, HPos::Left), (12, 16))?;
    let largest = panel.lines.iter().flatten().fold(f64::MIN_POSITIVE, |most, value| most.max(*value));
    let last = panel.steps.len().saturating_sub(1).max(1) as f64;
    let mut builder = ChartBuilder::on(area);
    builder.margin_top(34).margin_right(24).x_label_area_size(28).y_label_area_size(64);
    let mut chart = builder.build_cartesian_2d(-0.1..last + 0.1, 0.0..largest * 1.15)?;
    let step = |place: &f64| step_at(&panel.steps, *place);
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).bold_line_style(OTHERS.mix(0.3)).axis_style(OTHERS);
    mesh.label_style(("sans-serif", 12)).x_labels(2 * panel.steps.len()).y_labels(5);
    mesh.x_label_formatter(&step).y_label_formatter(&|value| number(*value)).draw()?;
    for (line, colour) in panel.lines.iter().zip([OURS, OTHERS]) {
        let points = || line.iter().enumerate().map(|(nth, value)| (nth as f64, *value));
        chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
        chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    Ok(())
}

/// The label of a place on the axis: only whole steps have one.
fn step_at(steps: &[String], place: f64) -> String {
    let whole = place >= -0.01 && (place - place.round()).abs() < 0.01;
    whole.then(|| steps.get(place.round() as usize).cloned()).flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_short() {
        assert_eq!([1.0, 450.0, 10_000.0, 10_000_000.0].map(short), ["1", "450", "10k", "10M"]);
    }

    #[test]
    fn only_whole_steps_are_labelled() {
        let steps = ["1".to_owned(), "2".to_owned()];
        assert_eq!([0.0, 0.5, 1.0, 2.0, -1.0].map(|place| step_at(&steps, place)), ["1", "", "2", "", ""]);
    }

    #[test]
    fn every_curve_has_a_panel() {
        let point = |at, drained| json!({ "at": at, "drain_per_s": drained });
        let result = json!({ "curves": [
            { "title": "keys", "points": [point(1, 9.0), point(1_000, 50_000.0), point(1_000_000, 40_000.0)] },
            { "title": "workers", "points": [point(1, 1.0)] },
        ] });
        let svg = draw(&result, "drained per second", &["drain_per_s"]).unwrap();
        for shown in ["drained per second / keys", "1k", "1M", "workers", "prefers-color-scheme"] {
            assert!(svg.contains(shown), "{shown}: {svg}");
        }
        assert!(draw(&result, "waits", &["p50_ms"]).is_err());
        assert!(draw(&json!({}), "waits", &["p50_ms"]).is_err());
    }
}
