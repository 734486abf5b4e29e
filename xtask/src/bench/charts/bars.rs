//! Bars from left to right, one panel below the other.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::theme::{self, OTHERS, OURS};

/// One question, with an answer of each subject.
#[derive(Debug, PartialEq)]
pub struct Panel {
    pub title: String,
    pub bars: Vec<Bar>,
}

impl Panel {
    fn height(&self) -> i32 {
        TITLE_HEIGHT + self.bars.len() as i32 * BAR_HEIGHT
    }

    fn largest(&self) -> f64 {
        self.bars.iter().map(|bar| bar.beyond.unwrap_or(bar.value)).fold(f64::MIN_POSITIVE, f64::max)
    }
}

#[derive(Debug, PartialEq)]
pub struct Bar {
    pub label: String,
    pub value: f64,
    /// A second, larger one behind it: the worst, where the other is the usual.
    pub beyond: Option<f64>,
    pub ours: bool,
}

const WIDTH: i32 = 860;
const TITLE_HEIGHT: i32 = 40;
const BAR_HEIGHT: i32 = 24;
/// Where bars begin and the longest one ends.
const BEGIN: i32 = 230;
const END: i32 = 720;

pub fn draw(panels: &[Panel]) -> Result<String> {
    let height: i32 = panels.iter().map(Panel::height).sum();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32)).into_drawing_area();
        let mut top = 0;
        for panel in panels {
            draw_panel(&area, panel, top).map_err(|error| anyhow!("cannot draw {}: {error}", panel.title))?;
            top += panel.height();
        }
        area.present()?;
    }
    Ok(theme::adapt(&svg))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn draw_panel(area: &Area, panel: &Panel, top: i32) -> Drawn {
    area.draw_text(&panel.title, &theme::text(16, HPos::Left), (8, top + TITLE_HEIGHT / 2))?;
    let largest = panel.largest();
    for (nth, bar) in panel.bars.iter().enumerate() {
        draw_bar(area, bar, largest, top + TITLE_HEIGHT + nth as i32 * BAR_HEIGHT)?;
    }
    Ok(())
}

fn draw_bar(area: &Area, bar: &Bar, largest: f64, top: i32) -> Drawn {
    let colour = if bar.ours { OURS } else { OTHERS };
    let end = |value: f64| BEGIN + (f64::from(END - BEGIN) * value / largest).round().max(1.0) as i32;
    let rectangle = |value, style| Rectangle::new([(BEGIN, top + 3), (end(value), top + BAR_HEIGHT - 3)], style);
    if let Some(beyond) = bar.beyond {
        area.draw(&rectangle(beyond, colour.mix(0.4).filled()))?;
    }
    area.draw(&rectangle(bar.value, colour.filled()))?;
    let middle = top + BAR_HEIGHT / 2;
    area.draw_text(&bar.label, &theme::text(13, HPos::Right), (BEGIN - 8, middle))?;
    let place = (end(bar.beyond.unwrap_or(bar.value)) + 8, middle);
    area.draw_text(&shown(bar), &theme::text(13, HPos::Left), place)
}

fn shown(bar: &Bar) -> String {
    match bar.beyond {
        Some(beyond) => format!("{} · {}", number(bar.value), number(beyond)),
        None => number(bar.value),
    }
}

/// `12,345`, `12` or `1.2`.
pub fn number(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let grouped = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    grouped.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64, beyond: Option<f64>) -> Bar {
        Bar { label: label.into(), value, beyond, ours: false }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0.0, 1.25, 12.4, 999.9, 1_234_567.0].map(number), ["0.0", "1.2", "12", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_picture_shows_titles_labels_and_values() {
        let panels = [
            Panel { title: "drained".into(), bars: vec![bar("claim", 12_000.0, None), bar("River", 24_000.0, None)] },
            Panel { title: "waits".into(), bars: vec![bar("claim", 2.0, Some(9.5))] },
        ];
        let svg = draw(&panels).unwrap();
        for shown in ["drained", "claim", "12,000", "24,000", "waits", "2.0 · 9.5", "prefers-color-scheme"] {
            assert!(svg.contains(shown), "{shown}: {svg}");
        }
        // The longest bar fills the width, and half of it is half as long.
        assert!(
            svg.contains(&format!("width=\"{}\"", END - BEGIN))
                && svg.contains(&format!("width=\"{}\"", (END - BEGIN) / 2))
        );
    }

    #[test]
    fn a_panel_of_nothing_but_zeros_is_drawn() {
        assert!(draw(&[Panel { title: "none".into(), bars: vec![bar("a", 0.0, None)] }]).is_ok());
    }
}
