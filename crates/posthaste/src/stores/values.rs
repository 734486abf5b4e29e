//! Values as databases have them: signed numbers, milliseconds, texts that stand for a state. Each store uses those it needs.

use std::time::Duration;

use jiff::Timestamp;

use crate::destination::Name;
use crate::error::{Error, Kind, Result};
use crate::inspect::{Job, Status, TenantPause};
use crate::journal::{ParkedState, Position, SourceReport, WorkerReport};
use crate::message::{OrderKey, Text};

/// An unsigned number as databases have numbers; what does not fit becomes the largest there is.
pub(crate) fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The inverse of [`signed`]; what is negative becomes zero.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A duration in milliseconds.
pub(super) fn millis(duration: Duration) -> i64 {
    signed(duration.as_millis())
}

/// A time that someone wrote, in milliseconds since 1970; nonsense becomes the nearest time there is.
pub(super) fn timestamp(millisecond: i64) -> Timestamp {
    let nearest = if millisecond < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(millisecond).unwrap_or(nearest)
}

/// The position in a store without ticks, as a number.
pub(super) fn seq(position: Position) -> i64 {
    signed(position.seq)
}

/// The inverse of [`seq`].
pub(super) fn position(seq: i64) -> Position {
    Position::seq(unsigned(seq))
}

/// The tenant of a key where nothing may be missing, as in an identity; a message never has an empty tenant.
pub(crate) fn tenant(key: &OrderKey) -> &str {
    key.tenant.as_deref().unwrap_or_default()
}

/// A key by its tenant as [`tenant`] gives it.
pub(super) fn order_key(tenant: impl Into<Text>, key: impl Into<Text>) -> OrderKey {
    OrderKey { tenant: Some(tenant.into()).filter(|tenant| !tenant.is_empty()), key: key.into() }
}

/// A pattern of a route, in which only `*` means something, as LIKE wants it.
pub(super) fn like(pattern: &str) -> String {
    pattern.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_").replace('*', "%")
}

/// The status of a delivery by its name.
pub(super) fn status(text: &str) -> Result<Status> {
    Status::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery has the status `{text}`")))
}

/// The state of a parked delivery by its name.
pub(super) fn state(text: &str) -> Result<ParkedState> {
    ParkedState::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery is parked as `{text}`")))
}

/// Tenants that are paused at a destination, as [`encode_paused_tenants`] writes them; nobody where nothing is written.
pub(super) fn paused_tenants(json: Option<&str>) -> Result<Vec<TenantPause>> {
    let unreadable = |error| Error::new(Kind::Corrupt, "the paused tenants are no list").caused_by(error);
    json.map_or(Ok(Vec::new()), |json| serde_json::from_str(json).map_err(unreadable))
}

/// The inverse of [`paused_tenants`].
pub(super) fn encode_paused_tenants(paused: &[TenantPause]) -> Result<Option<String>> {
    let unwritable = |error| Error::new(Kind::Invalid, "a pause cannot be written as JSON").caused_by(error);
    (!paused.is_empty()).then(|| serde_json::to_string(paused).map_err(unwritable)).transpose()
}

/// What a worker is told of a destination and the tenants that are paused there.
pub(super) fn paused_at(destination: impl Into<Name>, json: Option<&str>) -> Result<(Name, Vec<String>)> {
    let tenants = paused_tenants(json)?.into_iter().map(|pause| pause.tenant).collect();
    Ok((destination.into(), tenants))
}

/// What a worker said about itself. One of another version may say it in another way; better nothing than an error.
pub(super) fn worker_report(json: Option<&str>) -> Option<WorkerReport> {
    json.and_then(|json| serde_json::from_str(json).ok())
}

/// What the holder of a source said about it, as [`source_report`] reads it.
pub(super) fn encode_source_report(report: &SourceReport) -> Result<String> {
    serde_json::to_string(report)
        .map_err(|error| Error::new(Kind::Invalid, "a report cannot be written as JSON").caused_by(error))
}

/// The inverse of [`encode_source_report`]; better nothing than an error.
pub(super) fn source_report(json: Option<&str>) -> Option<SourceReport> {
    json.and_then(|json| serde_json::from_str(json).ok())
}

/// A job as stores keep it.
pub(super) fn document(job: &Job) -> Result<String> {
    serde_json::to_string(job)
        .map_err(|error| Error::new(Kind::Invalid, "a job cannot be written as JSON").caused_by(error))
}

/// The inverse of [`document`]; the number is kept beside it.
pub(super) fn job(number: i64, document: &str) -> Result<Job> {
    let job: Job = serde_json::from_str(document)
        .map_err(|error| Error::new(Kind::Corrupt, format!("job {number} cannot be read")).caused_by(error))?;
    Ok(Job { number: unsigned(number), ..job })
}
