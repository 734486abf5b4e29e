//! Names at a destination that have taken a message: routes, topics.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Templates can make a name of every message; more than these are not worth remembering.
const MOST: usize = 10_000;

/// A set that forgets when it gets too large.
#[derive(Debug)]
pub(super) struct Known<T>(Mutex<HashSet<T>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Eq + Hash> Known<T> {
    pub(super) fn has<Q: Eq + Hash + ?Sized>(&self, name: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.lock().contains(name)
    }

    /// A message was taken there.
    pub(super) fn learn<Q: Eq + Hash + ToOwned<Owned = T> + ?Sized>(&self, name: &Q)
    where
        T: Borrow<Q>,
    {
        let mut known = self.lock();
        if known.contains(name) {
            return;
        }
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(name.to_owned());
    }

    /// A message was refused there, so the next one goes carefully.
    pub(super) fn forget<Q: Eq + Hash + ?Sized>(&self, name: &Q)
    where
        T: Borrow<Q>,
    {
        self.lock().remove(name);
    }

    /// A set is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, HashSet<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
