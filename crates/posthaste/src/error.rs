//! What can go wrong between the library and a store, and whether waiting helps.

use std::error::Error as StdError;
use std::fmt;

/// Result of everything that talks to a store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind decides what a caller does; the text is for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The store cannot be reached or is busy. The same call may work later.
    Unavailable,
    /// The store is there and does not let us in: the user, the password or the name of the database is wrong.
    Denied,
    /// The store holds no journal, or one of another version. `posthaste migrate` is the remedy.
    Schema,
    /// What was asked for does not exist.
    NotFound,
    /// The call itself is wrong; repeating it will not help.
    Invalid,
    /// The store answered with something that should be impossible.
    Corrupt,
}

/// An error of a store: its kind, what was being done, and why that failed, down to the last cause.
///
/// One line of `Display` is complete: it ends with the texts of all causes. [`source`](StdError::source) gives the first cause itself,
/// such as the driver's error, for whoever wants to look into it. To print an error that wraps this one, use [`full_text`], which says
/// each cause once. Never contains a payload or a secret.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    context: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error without an underlying cause. `context` says what is wrong and what to do about it.
    pub fn new(kind: Kind, context: impl Into<String>) -> Self {
        Self { kind, context: context.into(), source: None }
    }

    /// What was asked for is about a destination that was never registered.
    pub fn unknown_destination(name: &crate::destination::Name) -> Self {
        Self::new(Kind::NotFound, format!("destination `{name}` is not known: register it first"))
    }

    /// What was asked for is about a source that was never read.
    pub fn unknown_source(name: &crate::destination::Name) -> Self {
        Self::new(Kind::NotFound, format!("source `{name}` is not known: no relay has read it into this journal"))
    }

    /// Adds the cause, which becomes the end of the text and the [`source`](StdError::source).
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Names the place in front of the text. It must not contain a password.
    #[cfg(any(test, feature = "mysql", feature = "postgres", feature = "table"))]
    #[must_use]
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.context = format!("{place}: {}", self.context);
        self
    }

    /// What a caller can act on.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the same call may succeed later without anyone changing anything.
    pub fn is_temporary(&self) -> bool {
        self.kind == Kind::Unavailable
    }
}

/// All of it, because a client's own words often end before the reason, such as a refused connection.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_causes(self.context.clone(), self.source()))
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// What somebody else wrote, fit to be repeated in an error: cut after a line's length, and without what would disturb a terminal.
pub fn shown(text: &str) -> String {
    const MOST_CHARS: usize = 80;
    let mut shown = String::new();
    for c in text.chars().take(MOST_CHARS) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if text.chars().nth(MOST_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

/// An error and all of its causes in one line, each said once: many errors, [`Error`] among them, repeat their causes in their own text.
pub fn full_text(error: &(dyn StdError + 'static)) -> String {
    with_causes(error.to_string(), error.source())
}

/// What a cause repeats of the text before it is left out.
fn with_causes(mut text: String, mut next: Option<&(dyn StdError + 'static)>) -> String {
    while let Some(cause) = next {
        let reason = cause.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A client's error that keeps its reason to itself, or repeats it.
    #[derive(Debug)]
    struct Layer(&'static str, io::Error);

    impl fmt::Display for Layer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl StdError for Layer {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.1)
        }
    }

    fn broken(text: &'static str) -> Error {
        Error::new(Kind::Unavailable, "cannot write").caused_by(Layer(text, io::Error::other("disk full")))
    }

    #[test]
    fn an_error_says_every_cause_down_to_the_last() {
        assert_eq!(broken("busy").to_string(), "cannot write: busy: disk full");
        let above = Error::new(Kind::Unavailable, "no journal").caused_by(broken("busy"));
        assert_eq!(above.to_string(), "no journal: cannot write: busy: disk full");
    }

    #[test]
    fn what_a_cause_repeats_is_said_once() {
        assert_eq!(broken("busy, disk full").to_string(), "cannot write: busy, disk full");
        assert_eq!(broken("cannot write").to_string(), "cannot write: disk full");
        assert_eq!(full_text(&broken("busy")), "cannot write: busy: disk full", "although the causes are a chain, too");
    }

    #[test]
    fn the_cause_itself_can_be_looked_into() {
        let error = broken("busy");
        let layer = error.source().and_then(|cause| cause.downcast_ref::<Layer>()).expect("the driver's error");
        assert_eq!(layer.1.to_string(), "disk full");
        assert!(Error::new(Kind::Invalid, "alone").source().is_none());
    }

    #[test]
    fn only_what_waiting_can_mend_is_temporary() {
        let kinds = [Kind::Denied, Kind::Schema, Kind::NotFound, Kind::Invalid, Kind::Corrupt];
        assert!(kinds.iter().all(|kind| !Error::new(*kind, "").is_temporary()));
        assert!(Error::new(Kind::Unavailable, "").is_temporary());
    }

    #[test]
    fn an_error_names_the_place_in_front() {
        assert_eq!(broken("busy").at("db1:5432/app").to_string(), "db1:5432/app: cannot write: busy: disk full");
    }
}
