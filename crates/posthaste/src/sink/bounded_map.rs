//! A map that forgets when it gets too large, for what is known of places at a destination: that they have taken a message, how large a
//! one, which was the last.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Templates can make a place of every message; more than these are not worth remembering.
const MOST: usize = 50_000;

/// A map that forgets when it gets too large.
#[derive(Debug)]
pub(crate) struct BoundedMap<P, K = ()>(Mutex<HashMap<P, K>>);

impl<P, K> Default for BoundedMap<P, K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<P: Eq + Hash, K: Copy> BoundedMap<P, K> {
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, place: &Q) -> Option<K>
    where
        P: Borrow<Q>,
    {
        self.lock().get(place).copied()
    }

    pub(crate) fn learn<Q: Eq + Hash + ToOwned<Owned = P> + ?Sized>(&self, place: &Q, knowledge: K)
    where
        P: Borrow<Q>,
    {
        self.update(place, |_| knowledge);
    }

    /// Makes what is known of what was known before.
    pub(crate) fn update<Q: Eq + Hash + ToOwned<Owned = P> + ?Sized>(
        &self,
        place: &Q,
        change: impl FnOnce(Option<K>) -> K,
    ) where
        P: Borrow<Q>,
    {
        let mut known = self.lock();
        if let Some(knowledge) = known.get_mut(place) {
            *knowledge = change(Some(*knowledge));
            return;
        }
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(place.to_owned(), change(None));
    }

    /// What was known turned out to be wrong.
    #[cfg(any(feature = "kafka", feature = "nats", feature = "rabbitmq", test))]
    pub(crate) fn forget<Q: Eq + Hash + ?Sized>(&self, place: &Q)
    where
        P: Borrow<Q>,
    {
        self.lock().remove(place);
    }

    #[cfg(feature = "nats")]
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    /// A map is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, HashMap<P, K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_places_are_known_and_never_more_than_so_many() {
        let known = BoundedMap::<usize, usize>::default();
        for place in 0..=MOST {
            known.learn(&place, place);
        }
        assert_eq!((known.get(&0), known.get(&MOST)), (None, Some(MOST)));
        known.update(&MOST, |before| before.unwrap() + 1);
        assert_eq!(known.get(&MOST), Some(MOST + 1));
        known.forget(&MOST);
        assert_eq!(known.get(&MOST), None);
    }
}
