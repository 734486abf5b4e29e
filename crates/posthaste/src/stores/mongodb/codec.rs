//! Values to documents and back.

use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{self, Binary, Bson, Document, doc};

use crate::error::{Error, Kind, Result};
use crate::journal::{Epoch, HeldKey, ParkedState, Partition};
use crate::message::{MessageId, OrderKey};
use crate::stores::values::{self, tenant};

pub(super) mod chunks;
pub(super) mod document;
#[cfg(test)]
mod hostile;
pub(super) mod id;
mod json;
pub(super) mod lane;
mod mend;
mod reading;
mod row;
mod value;

pub(super) use self::row::{Row, row};
pub(super) use crate::stores::values::{millis, position, seq, signed, timestamp, unsigned};

/// Milliseconds since 1970 as the server writes them.
pub(super) fn date(millisecond: i64) -> bson::DateTime {
    bson::DateTime::from_millis(millisecond)
}

pub(super) fn partition(document: &Document, name: &str) -> Result<Partition> {
    Ok(Partition::new(u16::try_from(whole(document, name)?).unwrap_or(u16::MAX)))
}

pub(super) fn epoch(epoch: Epoch) -> i64 {
    signed(epoch.number())
}

pub(super) fn decode_epoch(document: &Document) -> Result<Epoch> {
    Ok(Epoch::new(unsigned(whole(document, "epoch")?)))
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
    doc! { "d": destination, "t": tenant(key), "k": key.key.as_str() }
}

/// The inverse of [`scope`].
pub(super) fn order_key(scope: &Document) -> Result<OrderKey> {
    Ok(values::order_key(text(scope, "t")?, text(scope, "k")?))
}

pub(super) fn held_key(document: &Document) -> Result<HeldKey> {
    let scope = document.get_document("_id").map_err(|_| corrupt("a held key is damaged"))?;
    let (after, until) = (position(whole(document, "after")?), position(whole(document, "until")?));
    Ok(HeldKey { key: order_key(scope)?, after, until })
}

pub(super) fn parked_state(parked: &Document) -> Result<ParkedState> {
    values::state(&text(parked, "state")?)
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
