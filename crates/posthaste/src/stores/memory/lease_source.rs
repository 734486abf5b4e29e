//! Who reads which source.

use std::time::Duration;

use super::core::Core;
use crate::destination::Name;
use crate::journal::{Epoch, SourceGrant, SourceLease, SourceReport, WorkerId};

impl Core {
    /// See [`crate::journal::Journal::lease_source`].
    pub fn lease_source(
        &mut self,
        worker: &WorkerId,
        source: &Name,
        ttl: Duration,
        held: Option<Epoch>,
        report: &SourceReport,
    ) -> SourceGrant {
        let now = self.now;
        let known = self.sources.entry(source.clone()).or_default();
        known.status.name = source.to_string();
        let is_mine = held.is_some_and(|epoch| known.is_held_by(worker, epoch));
        if known.status.paused || known.is_live(now) && !is_mine {
            return SourceGrant { lease: None, paused: known.status.paused };
        }
        if !is_mine {
            known.status.epoch = known.status.epoch.next();
            known.status.worker = Some(worker.0.clone());
        }
        known.until = now.saturating_add(ttl);
        known.status.report = Some(report.clone());
        let lease = SourceLease { epoch: known.status.epoch, checkpoint: known.status.checkpoint.clone() };
        SourceGrant { lease: Some(lease), paused: false }
    }
}
