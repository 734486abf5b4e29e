//! What errors of sqlx mean for a caller.

use crate::error::{Error, Kind};

/// The server refused something, or could not be reached; `what` says what did not happen.
pub(crate) fn refused(error: sqlx::Error, what: &'static str) -> Error {
    let kind = match &error {
        sqlx::Error::Database(_) => Kind::Invalid,
        _ => Kind::Unavailable,
    };
    Error::new(kind, what).caused_by(error)
}
