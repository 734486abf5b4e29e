//! What a receiver got, as it recorded it itself: the evidence of the proof.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::Record;

/// What arrived, in the order of arrival.
#[derive(Debug, Clone, Default)]
pub struct Records(Arc<Mutex<Vec<Record>>>);

impl Records {
    pub fn push(&self, record: Record) {
        self.lock().push(record);
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// All records; none are left.
    pub fn take(&self) -> Vec<Record> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
