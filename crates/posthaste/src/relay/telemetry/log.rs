//! Lines for people and machines: ids and reasons, never payloads or secrets.
//!
//! What concerns one message carries its correlation id and tenant, an `operation` and a `phase`: `OUTBOX_CLAIM` (START, SUCCESS,
//! ERROR) for leases, `OUTBOX_DELIVER` (START, SENT, FAILED, DEAD) for attempts.

use tracing::{Level, Span};

use crate::engine::{Event, Failed, LeaseEnd};
use crate::journal::{Grant, WorkerId};
use crate::message::Headers;
use crate::sink::{Delivery, Outcomes, Run};

pub(super) const CLAIM: &str = "OUTBOX_CLAIM";
const DELIVER: &str = "OUTBOX_DELIVER";
pub(super) const ENQUEUE: &str = "OUTBOX_ENQUEUE";

/// Says that partitions are asked for.
pub(in crate::relay) fn log_claim(worker: &WorkerId, want: usize) {
    tracing::trace!(%worker, want, operation = CLAIM, phase = "START", "asking for partitions");
}

/// One hand-over, as a tracer sees it; nothing unless someone listens at `debug`. The trace context is that of the writer of the
/// first message.
pub(in crate::relay) fn span(runs: &[Run]) -> Span {
    let Some((run, first)) = runs.first().and_then(|run| Some((run, run.deliveries.first()?))) else {
        return Span::none();
    };
    let message = &first.message;
    tracing::debug_span!(
        "delivery",
        destination = %run.destination,
        runs = runs.len(),
        messages = runs.iter().map(|run| run.deliveries.len()).sum::<usize>(),
        message_id = %message.id,
        event_type = message.event_type.as_str(),
        correlation_id = message.correlation_id.as_deref(),
        tenant = message.tenant.as_deref(),
        attempt = first.attempt,
        traceparent = message.headers.get(Headers::TRACEPARENT),
    )
}

/// Says of each message that it is on its way.
pub(in crate::relay) fn log_start(runs: &[Run]) {
    if tracing::enabled!(Level::TRACE) {
        for (run, delivery) in runs.iter().flat_map(|run| run.deliveries.iter().map(move |delivery| (run, delivery))) {
            tracing::trace!(destination = %run.destination, message_id = %delivery.message.id,
                attempt = delivery.attempt, operation = DELIVER, phase = "START", "handed over");
        }
    }
}

/// Says of each message that the sink confirmed that it went out.
pub(in crate::relay) fn log_sent(runs: &[Run], outcomes: &Outcomes) {
    if !tracing::enabled!(Level::DEBUG) {
        return;
    }
    for (nth, run) in runs.iter().enumerate() {
        let confirmed = outcomes.of(nth).map_or(0, |outcome| outcome.confirmed);
        run.deliveries.iter().take(confirmed).for_each(|delivery| log_delivered(run, delivery));
    }
}

fn log_delivered(run: &Run, delivery: &Delivery) {
    let message = &delivery.message;
    tracing::debug!(
        destination = %run.destination,
        message_id = %message.id,
        correlation_id = message.correlation_id.as_deref(),
        tenant = message.tenant.as_deref(),
        attempt = delivery.attempt,
        operation = DELIVER,
        phase = "SENT",
        "delivered"
    );
}

/// Leases are lost by the dozen: a line for each reason, with their number.
fn log_lost_leases(events: &[Event]) {
    let lost = |why: LeaseEnd| -> Vec<u16> {
        let of_event = |event: &Event| match event {
            Event::LeaseLost { partition, why: found } if *found == why => Some(partition.number()),
            _ => None,
        };
        events.iter().filter_map(of_event).collect()
    };
    for (why, text) in [
        (LeaseEnd::Expired, "leases lost: they expired, for the store did not renew them in time"),
        (LeaseEnd::Taken, "leases lost: another worker took them, or they were given out anew"),
    ] {
        let partitions = lost(why);
        if !partitions.is_empty() {
            tracing::warn!(leases = partitions.len(), ?partitions, operation = CLAIM, phase = "ERROR", "{text}");
        }
    }
}

/// Writes events to the log: ids and reasons, never payloads.
pub(in crate::relay) fn log(events: Vec<Event>) {
    log_lost_leases(&events);
    for event in events {
        match event {
            Event::Failed(failed) => log_failure(&failed),
            Event::KilledWorkers { destination, message } => {
                tracing::error!(%destination, message_id = %message, operation = DELIVER, phase = "DEAD",
                    "the worker died again and again while delivering this message");
            }
            Event::Outage { destination, error } => {
                tracing::warn!(%destination, error, "destination is out of reach; no attempts are spent");
            }
            Event::Gone { destination, error } => {
                tracing::error!(%destination, error, "destination wants no more; paused until someone resumes it");
            }
            // Each of these lanes is also a lease that was lost.
            Event::CommitRefused { lanes } => tracing::debug!(lanes, "what was delivered could not be recorded"),
            Event::Recovered { destination } => tracing::info!(%destination, "destination is back"),
            Event::TookOver { partitions } => {
                let partitions: Vec<u16> = partitions.iter().map(|partition| partition.number()).collect();
                tracing::warn!(?partitions, operation = CLAIM, phase = "SUCCESS", "took over from a worker that died");
            }
            // Told above.
            Event::LeaseLost { .. } => {}
        }
    }
}

fn log_failure(failed: &Failed) {
    let Failed { destination, message, attempts, error, retry_in } = failed;
    let (id, correlation_id, tenant) = (message.id, message.correlation_id.as_deref(), message.tenant.as_deref());
    // What an endpoint says in the lines below may repeat the payload; it belongs into the timeline only.
    let error = error.lines().next().unwrap_or_default();
    let operation = DELIVER;
    match retry_in {
        Some(retry_in) => {
            tracing::warn!(%destination, message_id = %id, correlation_id, tenant, attempts, ?retry_in, error,
                operation, phase = "FAILED", "delivery failed");
        }
        None => {
            tracing::error!(%destination, message_id = %id, correlation_id, tenant, attempts, error,
                operation, phase = "DEAD", "delivery failed for good");
        }
    }
}

/// Says which partitions were gained; that there were none to gain is worth less.
pub(in crate::relay) fn log_grant(grant: &Grant) {
    let (partitions, workers) = (grant.leases.len(), grant.workers);
    if partitions > 0 {
        tracing::debug!(partitions, workers, operation = CLAIM, phase = "SUCCESS", "partitions leased");
    } else {
        tracing::trace!(partitions, workers, operation = CLAIM, phase = "SUCCESS", "no partition is free");
    }
}
