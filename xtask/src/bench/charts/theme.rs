//! Colours and fonts. A picture has no background of its own, and its text follows the reader's choice of dark or light.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub const OURS: RGBColor = RGBColor(0x1f, 0x9e, 0x89);
pub const OTHERS: RGBColor = RGBColor(0x8a, 0x93, 0xa6);

const STYLE: &str = "<style>\
    text { fill: #1f2328; font-family: system-ui, sans-serif; }\
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } }\
    </style>";

/// Text of some size, set from a point.
pub fn text(size: u32, from: HPos) -> TextStyle<'static> {
    ("sans-serif", size).into_text_style(&(1, 1)).pos(Pos::new(from, VPos::Center))
}

/// Lets the text follow the reader's choice.
pub fn adapt(svg: &str) -> String {
    match svg.find("<svg").and_then(|begin| Some(begin + svg[begin..].find('>')? + 1)) {
        Some(inside) => format!("{}\n{STYLE}{}", &svg[..inside], &svg[inside..]),
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_stands_inside_of_the_picture() {
        let adapted = adapt("<?xml?>\n<svg width=\"1\">\n<text>a</text></svg>");
        assert!(adapted.starts_with("<?xml?>\n<svg width=\"1\">\n<style>"), "{adapted}");
        assert!(adapted.contains("prefers-color-scheme: dark"));
    }
}
