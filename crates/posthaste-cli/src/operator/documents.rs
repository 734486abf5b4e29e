//! Answers for programs: the same for `--json` and for HTTP.

use posthaste::inspect::{Mode, Operation, OperationReport, Overview, Report};
use serde::Serialize;
use serde_json::{Value, json};

use crate::explain::Explanation;
use crate::health::Problem;

/// The store at a glance.
#[derive(Debug, Serialize)]
pub struct StatusAnswer {
    pub well: bool,
    pub problems: Vec<Problem>,
    #[serde(flatten)]
    pub overview: Overview,
}

/// What a replay or a discard did, or would do.
#[derive(Debug, Serialize)]
pub struct OperationAnswer {
    pub operation: Operation,
    pub dry_run: bool,
    #[serde(flatten)]
    pub report: OperationReport,
}

impl OperationAnswer {
    pub fn new(operation: Operation, mode: Mode, report: OperationReport) -> Self {
        Self { operation, dry_run: mode == Mode::DryRun, report }
    }
}

#[derive(Debug, Serialize)]
pub struct PauseAnswer<'a> {
    pub destination: &'a str,
    /// Only this one was meant.
    pub tenant: Option<&'a str>,
    pub paused: bool,
    pub changed: bool,
}

#[derive(Debug, Serialize)]
pub struct PurgeAnswer {
    pub messages: u64,
    pub removed: u64,
    pub dry_run: bool,
}

/// Everything about one message. Its payload and the values of its headers only on request: they may be personal or secret.
pub fn show(report: &Report, explanations: &[Explanation], payload: bool) -> Value {
    let message = &report.message;
    let mut document = json!({
        "id": message.id,
        "position": report.position,
        "partition": report.partition,
        "event_type": message.event_type,
        "aggregate_type": message.aggregate_type,
        "aggregate_id": message.aggregate_id,
        "key": message.key,
        "tenant": message.tenant,
        "user": message.user,
        "correlation_id": message.correlation_id,
        "occurred_at": message.occurred_at,
        "due_at": message.due_at,
        "destination": message.destination,
        "max_attempts": message.max_attempts,
        "origin": message.origin,
        "content_type": message.content_type,
        "payload_bytes": message.payload.len(),
        "header_names": message.headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "deliveries": report.deliveries,
        "lease": report.lease,
        "next": explanations,
    });
    if payload {
        document["headers"] = json!(message.headers);
        match std::str::from_utf8(&message.payload) {
            Ok(text) => document["payload"] = text.into(),
            Err(_) => document["payload_hex"] = hex(&message.payload).into(),
        }
    }
    document
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
