//! A receiver's own books: the evidence of the proof.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::Record;

/// What was taken, in the order it was taken.
#[derive(Debug, Clone, Default)]
pub struct Records(Arc<Mutex<Vec<Record>>>);

impl Records {
    pub fn push(&self, record: Record) {
        self.lock().push(record);
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Closes the books.
    pub fn take(&self) -> Vec<Record> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
