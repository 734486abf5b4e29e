//! What the server is known to take: per subject, the largest message that it has acknowledged.
//!
//! Whether a stream takes a subject and a size is decided for each message by itself. Was one refused for that and the next one
//! not, the next would be stored in front of it; so whatever is not known to be taken travels alone.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// With more subjects than this, some are asked again.
const MAX_SUBJECTS: usize = 50_000;

#[derive(Debug, Default)]
pub(super) struct Proven(Mutex<HashMap<String, usize>>);

impl Proven {
    fn subjects(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn covers(&self, subject: &str, bytes: usize) -> bool {
        self.subjects().get(subject).is_some_and(|largest| bytes <= *largest)
    }

    pub(super) fn learn(&self, subject: String, bytes: usize) {
        let mut subjects = self.subjects();
        if subjects.len() >= MAX_SUBJECTS {
            subjects.clear();
        }
        let largest = subjects.entry(subject).or_default();
        *largest = bytes.max(*largest);
    }

    pub(super) fn forget(&self, subject: &str) {
        self.subjects().remove(subject);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_large_as_what_was_taken_is_covered() {
        let proven = Proven::default();
        assert!(!proven.covers("a", 1));
        proven.learn("a".into(), 100);
        proven.learn("a".into(), 50);
        assert!(proven.covers("a", 100));
        assert!(!proven.covers("a", 101) && !proven.covers("b", 1));
        proven.forget("a");
        assert!(!proven.covers("a", 1));
    }
}
