//! Marks of what was taken, for a journal that is in the same database as the log: it makes them in the transaction that stores the
//! messages, so that neither is ever there without the other.
//!
//! The source says how, the journal does it, and neither knows the other: what passes between them is a place and some statements.

use std::fmt;
use std::path::Path;

use super::{Event, Settled};

/// Says how events are marked in the log itself. Pure: the same for the same events.
pub trait Marker: fmt::Debug + Send + Sync {
    /// The marks for these events, in the order of the log; `None` if there is nothing to mark.
    fn marking(&self, events: &[(&Event, Settled)]) -> Option<Marking>;
}

/// Marks of some events. Making them twice is the same as once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marking {
    /// Where the statements are to be run: only a journal at the same place can do it.
    pub place: Place,
    /// One after the other.
    pub statements: Vec<Statement>,
}

/// A statement in the words of the database, with its parameters, all of them texts.
#[derive(Clone, PartialEq, Eq)]
pub struct Statement {
    /// Names tables with their schema, where the database has such.
    pub sql: String,
    /// In their order.
    pub params: Vec<String>,
}

/// Shows no parameter: they are values of rows.
impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statement").field("params", &self.params.len()).finish_non_exhaustive()
    }
}

/// Within what a transaction can span: a database of PostgreSQL, a server of MySQL, a file of SQLite. Two that are written in different
/// ways count as different, which costs the common transaction and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(String);

impl Place {
    /// A database by its address, without user and password.
    pub fn address(address: impl Into<String>) -> Self {
        Self(address.into())
    }

    /// A server, with all of its databases.
    pub fn server(scheme: &str, host: &str, port: u16) -> Self {
        Self(format!("{scheme}://{host}:{port}"))
    }

    /// A file, by whatever path.
    pub fn file(path: &Path) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self(format!("file:{}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_by_whatever_path() {
        let folder = std::env::current_dir().unwrap();
        let roundabout = folder.join("src").join("..").join("Cargo.toml");
        assert_eq!(Place::file(&folder.join("Cargo.toml")), Place::file(&roundabout));
        assert_ne!(Place::file(Path::new("a.db")), Place::file(Path::new("b.db")));
    }

    #[test]
    fn values_of_rows_are_not_shown() {
        let statement = Statement { sql: "DELETE".into(), params: vec!["ann@example.org".into()] };
        assert!(!format!("{statement:?}").contains("ann"));
    }
}
