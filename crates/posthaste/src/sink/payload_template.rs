//! Texts that people read, made from a message and its payload: subjects, bodies, recipients, channels.
//!
//! They are written in the language of Jinja (the crate `minijinja`): `Hello {{ payload.customer.name }}`. What decides where a message goes
//! without a look at its payload is a [`template`](crate::sink::template) in single braces; this is another thing, because it reads the
//! payload, has conditions and loops, and its values have to be escaped for whoever shows them.
//!
//! A value never changes anything but its own place: control characters and marks that turn the direction of writing are taken out
//! of it, and the rest is escaped as the place asks. A field that the message lacks is a reject that names it.

use std::fmt;
use std::io;

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, ErrorKind, Output, UndefinedBehavior};
use serde::{Deserialize, Deserializer};

pub(crate) use self::context::Context;
pub(crate) use self::escape::Escape;
#[cfg(feature = "email")]
pub(crate) use self::escape::clean;
use crate::sink::Error;

mod context;
mod escape;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

/// Steps that one text may take; a loop over a list of a thousand takes about ten thousand.
const MAX_STEPS: u64 = 1_000_000;
/// The longest text that is made.
const MAX_BYTES: usize = 16 << 20;
/// What is shown of an expression in an error.
const MAX_SHOWN: usize = 80;
/// The name under which the engine keeps the only template it has.
const NAME: &str = "template";

/// A template as the config has it: its syntax has been checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Written(String);

impl Written {
    /// Checks the syntax; what is wrong with it is said as a part of a sentence about it.
    pub fn parse(written: impl Into<String>) -> Result<Self, String> {
        let written = written.into();
        match Environment::new().template_from_str(&written) {
            Ok(_) => Ok(Self(written)),
            Err(error) => {
                let line = error.line().map(|line| format!(" in line {line}")).unwrap_or_default();
                Err(format!("is no template{line}: {}", error.detail().unwrap_or("its syntax is wrong")))
            }
        }
    }

    /// Makes it ready to be filled in. `setting` is what errors call it.
    pub(crate) fn ready(&self, setting: impl Into<String>, escape: Escape) -> PayloadTemplate {
        PayloadTemplate::new(self.0.clone(), setting.into(), escape)
    }

    /// Whether it is the same for all messages.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.0.contains("{{") && !self.0.contains("{%")
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A template that can be filled in.
pub(crate) struct PayloadTemplate {
    setting: String,
    written: String,
    engine: Environment<'static>,
}

impl fmt::Debug for PayloadTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadTemplate").field("setting", &self.setting).finish_non_exhaustive()
    }
}

impl PayloadTemplate {
    fn new(written: String, setting: String, escape: Escape) -> Self {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(MAX_STEPS));
        // Errors then know which expression they are about. They also know the values around it, so they are never shown themselves.
        engine.set_debug(true);
        engine.set_formatter(move |out, _, value| print(out, value, escape));
        // Its syntax was checked when it was parsed.
        let _ = engine.add_template_owned(NAME, written.clone());
        Self { setting, written, engine }
    }

    /// The text for one message. An error is a reject without any value of the message.
    pub(crate) fn render(&self, context: &Context) -> Result<String, Error> {
        let mut text = Limited(Vec::new());
        let rendered = self
            .engine
            .get_template(NAME)
            .and_then(|template| template.render_captured_to(context.value(), &mut text).map(drop));
        rendered.map_err(|error| self.refuse(&error, context))?;
        String::from_utf8(text.0).map_err(|_| Error::reject(format_args!("{} makes no text", self.setting)))
    }

    fn refuse(&self, error: &minijinja::Error, context: &Context) -> Error {
        let shown: String = self.expression(error).chars().take(MAX_SHOWN).collect();
        let why = match error.kind() {
            ErrorKind::UndefinedError => "is missing in this message",
            ErrorKind::OutOfFuel => "takes too many steps",
            ErrorKind::WriteFailure => "makes too much text",
            ErrorKind::NonPrimitive => "is a list or a table: print its fields",
            _ => "cannot be worked out for this message",
        };
        let unreadable = context.unreadable.as_ref().filter(|_| error.kind() == ErrorKind::UndefinedError);
        let because = unreadable.map(|place| format!(": the payload is no JSON ({place})")).unwrap_or_default();
        Error::reject(format_args!("{}: `{shown}` {why}{because}", self.setting))
    }
}

impl PayloadTemplate {
    /// The expression that an error is about. The engine may name only its end, such as `.name` of `payload.name`.
    fn expression(&self, error: &minijinja::Error) -> &str {
        let Some(range) = error.range().filter(|range| self.written.get(range.clone()).is_some()) else {
            return "a field";
        };
        let part = |c: char| c.is_alphanumeric() || "_.[]'\"".contains(c);
        let before = self.written[..range.start].trim_end_matches(part);
        self.written[before.len()..range.end].trim_start_matches("{{").trim_end_matches("}}").trim()
    }
}

/// Prints one value as its place asks.
fn print(out: &mut Output<'_>, value: &Value, escape: Escape) -> Result<(), minijinja::Error> {
    let printed = match value.kind() {
        // Only what an `if` without `else` leaves gets here; everything else that is missing has been refused.
        ValueKind::Undefined => String::new(),
        ValueKind::None => return Err(ErrorKind::UndefinedError.into()),
        ValueKind::Bool | ValueKind::Number if escape.is_json() => value.to_string(),
        ValueKind::Bool | ValueKind::Number | ValueKind::String => escape.apply(&value.to_string(), value.is_safe()),
        _ => return Err(ErrorKind::NonPrimitive.into()),
    };
    out.write_str(&printed).map_err(|_| ErrorKind::WriteFailure.into())
}

/// Takes no more than it may.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BYTES {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
