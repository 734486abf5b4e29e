//! Sources as they are kept, and as people see them.

use std::time::Duration;

use super::core::Core;
use crate::inspect::SourceStatus;
use crate::journal::{Epoch, WorkerId};

/// A source that was leased once.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownSource {
    /// All of it but what follows from the clock.
    pub(super) status: SourceStatus,
    pub(super) until: Duration,
}

impl KnownSource {
    /// Whether this worker holds it under this epoch, even late.
    pub(super) fn is_held_by(&self, worker: &WorkerId, epoch: Epoch) -> bool {
        self.status.epoch == epoch && self.status.worker.as_ref() == Some(&worker.0)
    }

    pub(super) fn is_live(&self, now: Duration) -> bool {
        self.status.worker.is_some() && self.until > now
    }
}

impl Core {
    /// Whether this worker holds a source under this epoch, even late.
    #[cfg(feature = "simulator")]
    pub(crate) fn is_source_held_by(&self, source: &crate::destination::Name, worker: &WorkerId, epoch: Epoch) -> bool {
        self.sources.get(source).is_some_and(|known| known.is_held_by(worker, epoch))
    }

    /// See [`crate::inspect::Inspect::sources`].
    pub fn sources(&self) -> Vec<SourceStatus> {
        let status = |known: &KnownSource| SourceStatus { held: known.is_live(self.now), ..known.status.clone() };
        self.sources.values().map(status).collect()
    }
}
