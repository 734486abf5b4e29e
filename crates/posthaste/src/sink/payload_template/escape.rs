//! What a value has to look like in its place.

/// What a value has to look like in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Escape {
    /// Text of several lines that nobody interprets.
    Text,
    /// One line: whatever would end it becomes a space.
    Line,
    /// HTML. What the template itself declares `safe` stays.
    Html,
    /// A language of its own, in which this function takes the meaning out of a text.
    With(fn(&str) -> String),
    /// A text of such a language inside of a JSON document: in quotes, so that it stays one text. Numbers stay numbers.
    Json(fn(&str) -> String),
}

impl Escape {
    pub(super) fn is_json(self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// `safe` says that the template's author has declared the value to be fit already.
    pub(super) fn apply(self, value: &str, safe: bool) -> String {
        let value = clean(value);
        match self {
            Self::Text => value,
            Self::Line => one_line(&value),
            Self::Html if safe => value,
            Self::Html => html(&value),
            Self::With(escape) => escape(&value),
            Self::Json(escape) => serde_json::Value::String(escape(&value)).to_string(),
        }
    }
}

/// Without control characters, and without marks that turn the direction of what stands around the value. Lines end with LF.
pub(crate) fn clean(value: &str) -> String {
    value.replace("\r\n", "\n").replace('\r', "\n").chars().filter(|c| is_harmless(*c)).collect()
}

fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
    c == '\n' || c == '\t' || !(c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}'))
}

fn one_line(value: &str) -> String {
    value.split(['\n', '\t']).map(str::trim).filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

fn html(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
