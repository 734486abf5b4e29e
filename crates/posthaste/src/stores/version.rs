//! The version of a journal that is there, and what this library can do with it.

use std::cmp::Ordering;

use crate::error::{Error, Kind, Result};

/// Whether a relay may use a journal of this version: it must be the one that this library knows.
pub(super) fn usable(found: i64, known: i64) -> Result<()> {
    match found.cmp(&known) {
        Ordering::Equal => Ok(()),
        Ordering::Greater => migratable(found, known),
        Ordering::Less => {
            let text = format!("the journal is of version {found}, older than this program: run `posthaste migrate`");
            Err(Error::new(Kind::Schema, text))
        }
    }
}

/// Whether a journal of this version can be brought up to date: it must not be newer than this library.
pub(super) fn migratable(found: i64, known: i64) -> Result<()> {
    if found <= known {
        return Ok(());
    }
    let text = format!("the journal is of version {found}, this program knows versions up to {known}: update it");
    Err(Error::new(Kind::Schema, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_journal_is_migrated_and_a_newer_one_is_left_alone() {
        assert!(usable(2, 2).is_ok() && migratable(2, 2).is_ok() && migratable(0, 2).is_ok());
        let refused = [usable(1, 2), usable(3, 2), migratable(3, 2)].map(|refused| refused.err().map(|it| it.kind()));
        assert_eq!(refused, [Some(Kind::Schema); 3]);
    }
}
