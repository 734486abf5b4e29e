//! Everything about one message.

use std::ops::Bound::Excluded;

use super::core::{Core, Stored, timestamp};
use super::lane::{Lane, Tried};
use super::status::At;
use crate::inspect::{AttemptReport, Behind, DeliveryReport, LeaseReport, Report, Status};
use crate::journal::{Partition, Position};
use crate::message::{Message, MessageId};
use crate::rules::status::has_passed;
use crate::rules::suspicion::Suspicion;
use crate::rules::tenant::pause_of;

impl Core {
    /// See [`crate::inspect::Inspect::get`].
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
            deaths: at.parked.map_or(0, |parked| Suspicion::stored(parked.suspicion).deaths_alone()),
            error: at.parked.and_then(|parked| parked.error.clone()),
            due_at: at.due_at(&stored.message),
            paused: at.known.paused,
            paused_tenant: pause_of(&at.known.paused_tenants, stored.message.tenant.as_deref()).cloned(),
            behind: (at.status == Status::Waiting).then(|| behind(lane, &stored.message)),
            ahead: (at.status == Status::Pending).then(|| self.ahead(lane, position, stored.partition)),
            timeline: timeline(lane, position),
        }
    }

    /// How many messages the lane comes to before `position`.
    fn ahead(&self, lane: &Lane, position: Position, partition: Partition) -> u64 {
        let before = self.journal.range((Excluded(lane.cursor.low), Excluded(position)));
        let unsettled =
            before.filter(|(before, stored)| stored.partition == partition && !has_passed(&lane.cursor, **before));
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
        reply: tried.attempt.reply.clone(),
        worker: tried.worker.to_string(),
    };
    tried.into_iter().map(report).collect()
}
