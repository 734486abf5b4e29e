//! Giving a source back.

use super::core::Core;
use crate::destination::Name;
use crate::journal::{Epoch, WorkerId};

impl Core {
    /// See [`crate::journal::Journal::release_source`].
    pub fn release_source(&mut self, worker: &WorkerId, source: &Name, held: Epoch) {
        if let Some(known) = self.sources.get_mut(source).filter(|known| known.is_held_by(worker, held)) {
            known.status.worker = None;
        }
    }
}
