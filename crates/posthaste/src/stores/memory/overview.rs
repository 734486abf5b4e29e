//! The whole store at a glance.

use super::core::{Core, Known};
use super::lease::{Holding, Presence};
use crate::destination::Name;
use crate::inspect::{DestinationCounts, Overview, WorkerStatus};
use crate::rules::route;

impl Core {
    /// See [`crate::inspect::Inspect::overview`].
    pub fn overview(&self) -> Overview {
        let held = self.holdings.iter().filter(|holding| holding.is_live(self.now)).count();
        Overview {
            partitions: self.partitions,
            messages: self.journal.len() as u64,
            newest: self.newest,
            destinations: self.current().map(|(name, known)| self.counts(name, known)).collect(),
            workers: self.workers.iter().map(|(worker, presence)| self.worker(&worker.0, presence)).collect(),
            unheld_partitions: self.holdings.len() - held,
            sources: self.sources(),
            figures: Vec::new(),
        }
    }

    fn counts(&self, name: &Name, known: &Known) -> DestinationCounts {
        let mut counts = DestinationCounts {
            destination: name.to_string(),
            paused: known.paused,
            paused_tenants: known.paused_tenants.clone(),
            held_keys: known.lanes.iter().map(|lane| lane.held.len() as u64).sum(),
            ..DestinationCounts::default()
        };
        for (&position, stored) in &self.journal {
            if route::takes(&known.route, name, &stored.message) {
                let status = known.lane(stored.partition).status(position, &stored.message);
                counts.count(status, self.now.saturating_sub(stored.recorded_at));
            }
        }
        counts
    }

    fn worker(&self, worker: &str, presence: &Presence) -> WorkerStatus {
        let holds = |holding: &&Holding| {
            holding.is_live(self.now) && holding.worker.as_ref().is_some_and(|holder| holder.0 == worker)
        };
        WorkerStatus {
            worker: worker.to_owned(),
            partitions: self.holdings.iter().filter(holds).count(),
            alive: presence.until > self.now,
            report: presence.report.clone(),
        }
    }
}
