//! What it means that a database does not let the journal mark what a source has taken.

use std::error::Error as _;

use crate::error::{Error, Result};
use crate::journal::Marked;

/// A refusal keeps nothing from being stored: the source marks by itself then. What may work another time fails as a whole, and is
/// tried again as a whole.
pub(super) fn refused(error: Error) -> Result<Marked> {
    if error.is_temporary() {
        return Err(error);
    }
    // The words before the cause are about a journal.
    Ok(Marked::Refused(error.source().map_or_else(|| error.to_string(), ToString::to_string)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn only_what_may_work_another_time_keeps_messages_from_being_stored() {
        let denied = Error::new(Kind::Invalid, "grant it its role").caused_by("permission denied for table outbox");
        assert_eq!(refused(denied).unwrap(), Marked::Refused("permission denied for table outbox".into()));
        assert!(refused(Error::new(Kind::Unavailable, "the connection broke")).is_err());
    }
}
