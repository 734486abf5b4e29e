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
    /// The store holds no journal, or one of another version. `posthaste migrate` is the remedy.
    Schema,
    /// What was asked for does not exist.
    NotFound,
    /// The call itself is wrong; repeating it will not help.
    Invalid,
    /// The store answered with something that should be impossible.
    Corrupt,
}

/// An error of a store: its kind, what was being done, and the cause.
///
/// Never contains a payload or a secret.
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

    /// Adds the cause to the text.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The cause itself, for a store that looks into its own errors.
    #[cfg(feature = "mongodb")]
    pub(crate) fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.source.as_deref()
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.context)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    /// What is behind the cause: the cause itself is already part of the text, and a chain would say it twice.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().and_then(|source| source.source())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_causes_says_each_once() {
        let cause = Error::new(Kind::Unavailable, "busy").caused_by("disk full");
        let error = Error::new(Kind::Unavailable, "cannot write").caused_by(cause);
        let mut chain = error.to_string();
        let mut next = StdError::source(&error);
        while let Some(cause) = next {
            chain += &format!(": {cause}");
            next = cause.source();
        }
        assert_eq!(chain, "cannot write: busy: disk full");
    }
}
