//! What SQLite's errors mean for a caller.

use rusqlite::ErrorCode;

use crate::destination::Name;
use crate::error::{Error, Kind};

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if is_about_schema(&error) {
            return no_journal();
        }
        let (kind, context) = meaning(error.sqlite_error_code());
        Self::new(kind, context).caused_by(error)
    }
}

/// The same for what sqlx says. The low byte of an extended code is the plain one.
#[cfg(feature = "sqlx-sqlite")]
pub(crate) fn sqlx(error: ::sqlx::Error) -> Error {
    let code = match &error {
        ::sqlx::Error::Database(refused) if missing_table(refused.message()) => return no_journal(),
        ::sqlx::Error::Database(refused) => refused.code().and_then(|code| code.parse::<i32>().ok()),
        _ => return Error::new(Kind::Unavailable, "the database cannot be reached").caused_by(error),
    };
    let (kind, context) = meaning(code.map(|code| rusqlite::ffi::Error::new(code).code));
    Error::new(kind, context).caused_by(error)
}

fn meaning(code: Option<ErrorCode>) -> (Kind, &'static str) {
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Kind::Unavailable, "the database is busy: someone has been writing for longer than the busy timeout")
        }
        Some(ErrorCode::DiskFull) => {
            (Kind::Unavailable, "the disk is full: free some space, nothing is lost and work goes on by itself")
        }
        Some(ErrorCode::SystemIoFailure) => (Kind::Unavailable, "the database file cannot be read or written"),
        Some(ErrorCode::CannotOpen) => (
            Kind::Unavailable,
            "the database file cannot be opened: does its directory exist, and may it be written to?",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            (Kind::Unavailable, "the database file may not be written to: check its permissions and its directory's")
        }
        Some(ErrorCode::OutOfMemory) => (Kind::Unavailable, "SQLite ran out of memory"),
        Some(ErrorCode::ConstraintViolation) => (Kind::Invalid, "the journal refused a message"),
        Some(ErrorCode::TooBig) => (Kind::Invalid, "a message is too large for SQLite"),
        Some(ErrorCode::NotADatabase) => (Kind::Corrupt, "the file is not an SQLite database"),
        Some(ErrorCode::DatabaseCorrupt) => (Kind::Corrupt, "the database is damaged: restore it from a backup"),
        _ => (Kind::Corrupt, "SQLite gave an answer that should be impossible"),
    }
}

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

pub(super) fn unknown(destination: &Name) -> Error {
    Error::new(Kind::NotFound, format!("destination `{destination}` is not known: register it first"))
}
