//! Values to documents and back.

use std::time::Duration;

use jiff::Timestamp;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{self, Binary, Bson, Document, doc};

use crate::error::{Error, Kind, Result};
use crate::journal::{Epoch, HeldKey, ParkedState, Partition, Position};
use crate::message::{MessageId, OrderKey, Text};

pub(super) mod chunks;
pub(super) mod document;
pub(super) mod id;
mod json;
pub(super) mod lane;
mod reading;
mod row;
mod value;

pub(super) use self::row::{Row, row};

pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// How long from `now` until `at`; zero if that is over.
pub(super) fn until(at: i64, now: i64) -> Duration {
    Duration::from_millis(u64::try_from(at.saturating_sub(now)).unwrap_or(0))
}

/// A time that someone wrote; nonsense becomes the nearest time there is.
pub(super) fn timestamp(millisecond: i64) -> Timestamp {
    let nearest = if millisecond < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(millisecond).unwrap_or(nearest)
}

/// Milliseconds since 1970 as the server writes them.
pub(super) fn date(millisecond: i64) -> bson::DateTime {
    bson::DateTime::from_millis(millisecond)
}

pub(super) fn seq(position: Position) -> i64 {
    i64::try_from(position.seq).unwrap_or(i64::MAX)
}

pub(super) fn position(seq: i64) -> Position {
    Position::seq(u64::try_from(seq).unwrap_or(0))
}

pub(super) fn partition(document: &Document, name: &str) -> Result<Partition> {
    Ok(Partition::new(u16::try_from(whole(document, name)?).unwrap_or(u16::MAX)))
}

pub(super) fn epoch(epoch: Epoch) -> i64 {
    i64::try_from(epoch.number()).unwrap_or(i64::MAX)
}

pub(super) fn decode_epoch(document: &Document) -> Result<Epoch> {
    Ok(Epoch::new(u64::try_from(whole(document, "epoch")?).unwrap_or_default()))
}

pub(super) fn uuid(id: MessageId) -> Binary {
    Binary { subtype: BinarySubtype::Uuid, bytes: id.0.as_bytes().to_vec() }
}

/// The `_id` of a parked delivery.
pub(super) fn parked_id(seq: i64, destination: &str) -> Document {
    doc! { "s": seq, "d": destination }
}

/// A held key's identity, and by it the parked delivery at its head.
pub(super) fn scope(destination: &str, key: &OrderKey) -> Document {
    doc! { "d": destination, "t": key.tenant.as_deref().unwrap_or_default(), "k": key.key.as_str() }
}

/// The inverse of [`scope`]; a message never has an empty tenant.
pub(super) fn order_key(scope: &Document) -> Result<OrderKey> {
    let tenant = Some(Text::from(text(scope, "t")?)).filter(|tenant| !tenant.is_empty());
    Ok(OrderKey { tenant, key: text(scope, "k")?.into() })
}

pub(super) fn held_key(document: &Document) -> Result<HeldKey> {
    let scope = document.get_document("_id").map_err(|_| corrupt("a held key is damaged"))?;
    let (after, until) = (position(whole(document, "after")?), position(whole(document, "until")?));
    Ok(HeldKey { key: order_key(scope)?, after, until })
}

pub(super) fn parked_state(parked: &Document) -> Result<ParkedState> {
    let state = text(parked, "state")?;
    ParkedState::parse(&state).ok_or_else(|| corrupt(format!("a delivery is parked as `{state}`")))
}

pub(super) fn text(document: &Document, name: &str) -> Result<String> {
    document.get_str(name).map(str::to_owned).map_err(|_| corrupt(format!("`{name}` of a document is no text")))
}

pub(super) fn whole(document: &Document, name: &str) -> Result<i64> {
    number(document, name).ok_or_else(|| corrupt(format!("`{name}` of a document is no number")))
}

pub(super) fn count(document: &Document, name: &str) -> Result<u32> {
    Ok(u32::try_from(whole(document, name)?).unwrap_or(u32::MAX))
}

pub(super) fn moment(document: &Document, name: &str) -> Option<i64> {
    document.get_datetime(name).ok().map(|at| at.timestamp_millis())
}

/// A number of whatever kind the server or another driver made of it.
pub(super) fn number(document: &Document, name: &str) -> Option<i64> {
    match document.get(name)? {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "a double that stands for a whole number")]
        Bson::Double(number) => Some(*number as i64),
        _ => None,
    }
}

pub(super) fn corrupt(text: impl Into<String>) -> Error {
    Error::new(Kind::Corrupt, text)
}
