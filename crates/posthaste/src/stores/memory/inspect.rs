//! The store as an operator sees it.

use std::ops::Bound::{Excluded, Unbounded};
use std::time::Duration;

use async_trait::async_trait;

use super::Memory;
use super::core::{Core, Known, Stored, timestamp};
use super::lane::{Lane, Tried};
use super::leases::{Holding, Presence};
use super::status::{At, Delivery};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{
    AttemptReport, AuditEntry, Behind, Change, DeliveryReport, DestinationCounts, Filter, Inspect, LeaseReport, Listed,
    Mode, Operation, OperationReport, Overview, Page, Report, Status, WorkerStatus,
};
use crate::journal::{Partition, Position};
use crate::message::{Message, MessageId};
use crate::rules::route;

#[async_trait]
impl Inspect for Memory {
    async fn overview(&self) -> Result<Overview> {
        Ok(self.core().overview())
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
        Ok(self.core().list(filter, page))
    }

    async fn get(&self, id: MessageId) -> Result<Option<Report>> {
        Ok(self.core().get(id))
    }

    async fn operate(&self, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
        let report = self.core().operate(operation, filter, mode);
        if mode == Mode::Apply {
            self.announce();
        }
        Ok(report)
    }

    async fn pause(&self, destination: &Name) -> Result<bool> {
        self.core().set_paused(destination, true)
    }

    async fn resume(&self, destination: &Name) -> Result<bool> {
        self.core().set_paused(destination, false)
    }

    async fn purgeable(&self, older_than: Duration) -> Result<u64> {
        Ok(self.core().purgeable(older_than))
    }

    async fn record(&self, change: &Change) -> Result<()> {
        self.core().record(change.clone());
        Ok(())
    }

    async fn audit(&self, before: Option<u64>, limit: usize) -> Result<Vec<AuditEntry>> {
        Ok(self.core().audit(before, limit))
    }
}

impl Core {
    /// See [`Inspect::overview`].
    pub fn overview(&self) -> Overview {
        let held = self.holdings.iter().filter(|holding| holding.is_live(self.now)).count();
        Overview {
            partitions: self.partitions,
            messages: self.journal.len() as u64,
            newest: self.newest,
            destinations: self.current().map(|(name, known)| self.counts(name, known)).collect(),
            workers: self.workers.iter().map(|(worker, presence)| self.worker(&worker.0, presence)).collect(),
            unheld_partitions: self.holdings.len() - held,
            figures: Vec::new(),
        }
    }

    /// See [`Inspect::record`].
    pub fn record(&mut self, change: Change) {
        let number = self.audit.len() as u64 + 1;
        self.audit.push(AuditEntry { number, at: timestamp(self.now), change });
    }

    /// See [`Inspect::audit`].
    pub fn audit(&self, before: Option<u64>, limit: usize) -> Vec<AuditEntry> {
        let older = |entry: &&AuditEntry| before.is_none_or(|before| entry.number < before);
        self.audit.iter().rev().filter(older).take(limit).cloned().collect()
    }

    fn counts(&self, name: &Name, known: &Known) -> DestinationCounts {
        let mut counts = DestinationCounts {
            destination: name.to_string(),
            paused: known.paused,
            held_keys: known.lanes.iter().map(|lane| lane.held.len() as u64).sum(),
            ..DestinationCounts::default()
        };
        for (&position, stored) in &self.journal {
            if route::takes(&known.route, name, &stored.message) {
                let status = known.lane(stored.partition).status(position, &stored.message);
                count(&mut counts, status, self.now.saturating_sub(stored.recorded_at));
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

    /// See [`Inspect::list`]. The deliveries of one message stay on one page, so that a page can start after a position.
    pub fn list(&self, filter: &Filter, page: Page) -> Vec<Listed> {
        let mut listed = Vec::new();
        for (&position, stored) in self.journal.range((Excluded(page.after), Unbounded)) {
            if listed.len() >= page.limit {
                break;
            }
            let deliveries = self.deliveries_of(position, stored);
            listed.extend(deliveries.iter().filter(|delivery| delivery.matches(filter)).map(Delivery::listed));
        }
        listed
    }

    /// See [`Inspect::get`].
    pub fn get(&self, id: MessageId) -> Option<Report> {
        let position = *self.by_id.get(&id)?;
        let stored = self.journal.get(&position)?;
        let deliveries = self.deliveries_of(position, stored);
        Some(Report {
            position,
            partition: stored.partition,
            message: Message::clone(&stored.message),
            deliveries: deliveries.iter().filter_map(|one| Some(self.report(position, stored, one.at?))).collect(),
            lease: self.lease_report(stored.partition),
        })
    }

    fn report(&self, position: Position, stored: &Stored, at: At<'_>) -> DeliveryReport {
        let lane = at.known.lane(stored.partition);
        DeliveryReport {
            destination: at.name.to_string(),
            status: at.status,
            attempts: at.parked.map_or(0, |parked| parked.attempts),
            kills: at.parked.map_or(0, |parked| parked.kills),
            error: at.parked.and_then(|parked| parked.error.clone()),
            due_at: at.due_at(&stored.message),
            paused: at.known.paused,
            behind: (at.status == Status::Waiting).then(|| behind(lane, &stored.message)),
            ahead: (at.status == Status::Pending).then(|| self.ahead(lane, position, stored.partition)),
            timeline: timeline(lane, position),
        }
    }

    /// How many messages the lane comes to before `position`.
    fn ahead(&self, lane: &Lane, position: Position, partition: Partition) -> u64 {
        let before = self.journal.range((Excluded(lane.cursor.low), Excluded(position)));
        let unsettled = before.filter(|(before, stored)| stored.partition == partition && !lane.has_passed(**before));
        unsettled.count() as u64
    }

    fn lease_report(&self, partition: Partition) -> Option<LeaseReport> {
        let holding = &self.holdings[partition.index()];
        let worker = holding.worker.as_ref()?;
        Some(LeaseReport {
            partition,
            worker: worker.to_string(),
            epoch: holding.epoch,
            expired: !holding.is_live(self.now),
            report: self.workers.get(worker).and_then(|presence| presence.report.clone()),
        })
    }
}

fn count(counts: &mut DestinationCounts, status: Status, age: Duration) {
    match status {
        Status::Pending => {
            counts.pending += 1;
            let oldest = counts.oldest_pending_seconds.unwrap_or_default();
            counts.oldest_pending_seconds = Some(age.as_secs_f64().max(oldest));
        }
        Status::Waiting => counts.waiting += 1,
        Status::Retrying => counts.retrying += 1,
        Status::Scheduled => counts.scheduled += 1,
        Status::Throttled => counts.throttled += 1,
        Status::Dead => counts.dead += 1,
        Status::Replay => counts.replay += 1,
        Status::Delivered | Status::Discarding | Status::Discarded => {}
    }
}

fn behind(lane: &Lane, message: &Message) -> Behind {
    let head = message.order_key().and_then(|key| lane.head(&key));
    Behind {
        id: head.map(|head| head.message),
        status: head.map(|head| head.state.into()),
        error: head.and_then(|head| head.error.clone()),
        due_at: head.and_then(|head| head.due_at).map(timestamp),
    }
}

/// By time, because a replay counts its attempts from one again.
fn timeline(lane: &Lane, position: Position) -> Vec<AttemptReport> {
    let mut tried: Vec<_> = lane.attempts_at(position).map(|(_, tried)| tried).collect();
    tried.sort_by_key(|tried| (tried.at, tried.attempt.number));
    let report = |tried: &Tried| AttemptReport {
        number: tried.attempt.number,
        at: timestamp(tried.at),
        took_ms: tried.attempt.took.as_millis().try_into().unwrap_or(u64::MAX),
        error: tried.attempt.error.clone(),
        worker: tried.worker.to_string(),
    };
    tried.into_iter().map(report).collect()
}
