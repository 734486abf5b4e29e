//! What SQLite's errors mean for a caller, whichever driver brings them.

use crate::error::{Error, Kind};

#[cfg(feature = "rusqlite")]
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if is_about_schema(&error) {
            return no_journal();
        }
        let (kind, context) = meaning(error.sqlite_error().map(|error| error.extended_code));
        Self::new(kind, context).caused_by(error)
    }
}

/// The same for what sqlx says.
#[cfg(feature = "sqlx-sqlite")]
pub(crate) fn sqlx(error: ::sqlx::Error) -> Error {
    let code = match &error {
        ::sqlx::Error::Database(refused) if missing_table(refused.message()) => return no_journal(),
        ::sqlx::Error::Database(refused) => refused.code().and_then(|code| code.parse().ok()),
        _ => return Error::new(Kind::Unavailable, "the database cannot be reached").caused_by(error),
    };
    let (kind, context) = meaning(code);
    Error::new(kind, context).caused_by(error)
}

/// By the result code (see the documentation of SQLite). The low byte of an extended one is the plain one.
fn meaning(code: Option<i32>) -> (Kind, &'static str) {
    match code.map(|code| code & 0xff) {
        // BUSY, LOCKED
        Some(5 | 6) => {
            (Kind::Unavailable, "the database is busy: someone has been writing for longer than the busy timeout")
        }
        // FULL
        Some(13) => {
            (Kind::Unavailable, "the disk is full: free some space, nothing is lost and work goes on by itself")
        }
        // IOERR
        Some(10) => (Kind::Unavailable, "the database file cannot be read or written"),
        // CANTOPEN
        Some(14) => (
            Kind::Unavailable,
            "the database file cannot be opened: does its directory exist, and may it be written to?",
        ),
        // READONLY, PERM
        Some(8 | 3) => {
            (Kind::Unavailable, "the database file may not be written to: check its permissions and its directory's")
        }
        // NOMEM
        Some(7) => (Kind::Unavailable, "SQLite ran out of memory"),
        // CONSTRAINT
        Some(19) => (Kind::Invalid, "the journal refused a message"),
        // TOOBIG
        Some(18) => (Kind::Invalid, "a message is too large for SQLite"),
        // NOTADB
        Some(26) => (Kind::Corrupt, "the file is not an SQLite database"),
        // CORRUPT
        Some(11) => (Kind::Corrupt, "the database is damaged: restore it from a backup"),
        _ => (Kind::Corrupt, "SQLite gave an answer that should be impossible"),
    }
}

#[cfg(feature = "rusqlite")]
fn is_about_schema(error: &rusqlite::Error) -> bool {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) | rusqlite::Error::SqlInputError { msg: text, .. } => text,
        _ => return false,
    };
    missing_table(text)
}

fn missing_table(text: &str) -> bool {
    // `sqlite_sequence` comes with the first table that counts by itself.
    let missing = ["no such table: outbox", "no such table: sqlite_sequence", "no such column"];
    missing.iter().any(|missing| text.starts_with(missing))
}

pub(super) fn no_journal() -> Error {
    Error::new(Kind::Schema, "the database holds no journal: run `posthaste migrate`")
}
