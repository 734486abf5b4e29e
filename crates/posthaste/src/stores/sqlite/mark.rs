//! Marks of what a source has taken, where its table is in this file.

use std::path::Path;

use rusqlite::{Transaction, params_from_iter};

use crate::error::{Error, Kind, Result};
use crate::journal::Marked;
use crate::source::{Marking, Place};
use crate::stores::marked::refused;

/// Within the transaction that stores the messages. What is refused changes nothing, and marks that were made before it are right all the
/// same: their messages are stored.
pub(super) fn mark(transaction: &Transaction<'_>, path: &Path, marking: Option<&Marking>) -> Result<Marked> {
    let here = |marking: &&Marking| marking.place == Place::file(path);
    let Some(marking) = marking.filter(here) else { return Ok(Marked::No) };
    for statement in &marking.statements {
        let Err(error) = transaction.execute(&statement.sql, params_from_iter(&statement.params)) else { continue };
        if transaction.is_autocommit() {
            let text = "a trigger of the table rolls back what marks its rows: set `mark_apart` of the source";
            return Err(Error::new(Kind::Unavailable, text).caused_by(error));
        }
        return refused(error.into());
    }
    Ok(Marked::Together)
}
