//! A message as a number and a text.

use super::length::measure;
use super::settings::Settings;
use crate::sink::payload_template::{Context, Escape, PayloadTemplate};
use crate::sink::settings::Problem;
use crate::sink::{Delivery, Error, Run};

/// Makes short messages.
#[derive(Debug)]
pub(super) struct Encoder {
    to: PayloadTemplate,
    text: PayloadTemplate,
    max_parts: usize,
}

/// What is sent, and what other templates can name.
pub(super) struct Short {
    pub(super) to: String,
    pub(super) text: String,
    pub(super) context: Context,
}

impl Encoder {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        if settings.to.is_fixed() {
            number(settings.to.as_str()).ok_or_else(|| Problem::new("to", NO_NUMBER))?;
        }
        if settings.max_parts == 0 {
            return Err(Problem::new("max_parts", "is 0: write at least 1"));
        }
        Ok(Self {
            to: settings.to.ready("to", Escape::Line),
            text: settings.text.ready("text", Escape::Text),
            max_parts: settings.max_parts,
        })
    }

    /// An error is a reject.
    pub(super) fn short(&self, run: &Run, delivery: &Delivery) -> Result<Short, Error> {
        let context = Context::of(run, delivery);
        let to = number(&self.to.render(&context)?).ok_or_else(|| Error::reject(format_args!("to {NO_NUMBER}")))?;
        let text = self.text.render(&context)?.trim().to_owned();
        let length = measure(&text);
        if text.is_empty() {
            return Err(Error::reject("text: there is nothing to say"));
        }
        if length.parts > self.max_parts {
            return Err(Error::reject(format_args!(
                "text: it takes {} parts ({} places in {}): at most {} are sent (max_parts)",
                length.parts, length.places, length.encoding, self.max_parts
            )));
        }
        Ok(Short { context: context.with("to", &to).with("text", &text), to, text })
    }
}

const NO_NUMBER: &str = "is no number in international form: expected + and 7 to 15 digits";

/// The number without what people write between digits.
fn number(written: &str) -> Option<String> {
    let number: String = written.chars().filter(|c| !matches!(c, ' ' | '-' | '(' | ')' | '.' | '/')).collect();
    let digits = number.strip_prefix('+')?;
    let fit =
        (7..=15).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    fit.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_international_or_none() {
        assert_eq!(number("+1 (555) 123-4567").as_deref(), Some("+15551234567"));
        for none in ["", "+", "5551234567", "+0123456789", "+1555", "+1555123456789012", "+1555123456x", "+1555,+1666"]
        {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
