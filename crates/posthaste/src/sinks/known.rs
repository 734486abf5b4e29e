//! Places at a destination that have taken a message.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Templates can make a place of every message; more than these are not worth remembering.
const MOST: usize = 10_000;

/// A set that forgets when it gets too large.
#[derive(Debug)]
pub(super) struct Known<T>(Mutex<HashSet<T>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Eq + Hash + Clone> Known<T> {
    pub(super) fn has(&self, place: &T) -> bool {
        self.lock().contains(place)
    }

    /// A message was taken there.
    pub(super) fn learn(&self, place: &T) {
        let mut known = self.lock();
        if !known.contains(place) {
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(place.clone());
        }
    }

    /// A message was refused there, so the next one goes carefully.
    pub(super) fn forget(&self, place: &T) {
        self.lock().remove(place);
    }

    /// A set is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, HashSet<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
