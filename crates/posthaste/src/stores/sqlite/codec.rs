//! Rows to values and back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Kind, Result};
use crate::journal::{Cursor, Entry, Epoch, Partition, Position};
use crate::message::{Headers, Message, MessageId, OrderKey, Origin, Text};

/// Milliseconds since 1970: SQLite's clock is that of the machine, which all who share the file share too.
pub(super) fn now() -> i64 {
    crate::clock::now().as_millisecond()
}

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

pub(super) fn seq(position: Position) -> i64 {
    i64::try_from(position.seq).unwrap_or(i64::MAX)
}

pub(super) fn position(seq: i64) -> Position {
    Position::seq(u64::try_from(seq).unwrap_or(0))
}

/// As keys of held and parked rows, where nothing may be NULL; a message never has an empty tenant.
pub(super) fn tenant(key: &OrderKey) -> &str {
    key.tenant.as_deref().unwrap_or_default()
}

/// The inverse of [`tenant`].
pub(super) fn order_key(tenant: String, key: String) -> OrderKey {
    OrderKey { tenant: Some(tenant).filter(|tenant| !tenant.is_empty()).map(Text::from), key: key.into() }
}

/// What is done beyond the cursor: `,1,a,2f,`. See the table.
pub(super) fn encode_done(cursor: &Cursor) -> String {
    let mut text = String::new();
    for done in cursor.done.iter().filter(|done| **done > cursor.low) {
        let comma = if text.is_empty() { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{:x},", done.seq - cursor.low.seq);
    }
    text
}

pub(super) fn decode_cursor(low: i64, done: &str) -> Result<Cursor> {
    let low = position(low);
    let offsets = done.split(',').filter(|offset| !offset.is_empty()).map(|offset| u64::from_str_radix(offset, 16));
    let done = offsets.map(|offset| offset.map(|offset| Position::seq(low.seq.saturating_add(offset))));
    let done = done.collect::<Result<_, _>>();
    let done = done.map_err(|error| Error::new(Kind::Corrupt, "a cursor is damaged").caused_by(error))?;
    Ok(Cursor { low, done })
}

/// A list as a parameter: SQLite reads it with `json_each`.
pub(super) fn json<T: Serialize + ?Sized>(list: &T) -> Result<String> {
    serde_json::to_string(list).map_err(|error| Error::new(Kind::Invalid, "cannot be written as JSON").caused_by(error))
}

/// The message columns that every statement that returns messages starts with, in this order.
mod column {
    pub(super) const SEQ: usize = 0;
    pub(super) const PARTITION: usize = 1;
    pub(super) const ID: usize = 2;
    pub(super) const EVENT_TYPE: usize = 3;
    pub(super) const AGGREGATE_TYPE: usize = 4;
    pub(super) const AGGREGATE_ID: usize = 5;
    pub(super) const KEY: usize = 6;
    pub(super) const TENANT: usize = 7;
    pub(super) const USER_ID: usize = 8;
    pub(super) const CORRELATION_ID: usize = 9;
    pub(super) const CONTENT_TYPE: usize = 10;
    pub(super) const OCCURRED_AT: usize = 11;
    pub(super) const DUE_AT: usize = 12;
    pub(super) const DESTINATION: usize = 13;
    pub(super) const MAX_ATTEMPTS: usize = 14;
    pub(super) const SOURCE_STREAM: usize = 15;
    pub(super) const SOURCE_EVENT: usize = 16;
    pub(super) const HEADERS: usize = 17;
    pub(super) const PAYLOAD: usize = 18;
}

/// The first column after those of the message.
pub(super) const AFTER_MESSAGE: usize = column::PAYLOAD + 1;

pub(super) fn seq_of(row: &Row<'_>) -> Result<i64> {
    Ok(row.get(column::SEQ)?)
}

pub(super) fn partition_of(row: &Row<'_>) -> Result<Partition> {
    Ok(row.get(column::PARTITION)?)
}

pub(super) fn entry(row: &Row<'_>, now: i64) -> Result<Entry> {
    let due_at: Option<i64> = row.get(column::DUE_AT)?;
    Ok(Entry {
        position: position(seq_of(row)?),
        partition: partition_of(row)?,
        message: Arc::new(message(row)?),
        due_in: due_at.filter(|&due_at| due_at > now).map(|due_at| until(due_at, now)),
    })
}

pub(super) fn message(row: &Row<'_>) -> Result<Message> {
    let (key, tenant) = (bytes(row, column::KEY)?, bytes(row, column::TENANT)?);
    // SQLite stores any bytes as text. A scope that is not UTF-8 could not be looked up again, so it orders nothing.
    let is_scope = [key, tenant].into_iter().flatten().all(|bytes| std::str::from_utf8(bytes).is_ok());
    let origin = short(row, column::SOURCE_STREAM)?.zip(short(row, column::SOURCE_EVENT)?);
    let max_attempts: Option<i64> = row.get(column::MAX_ATTEMPTS)?;
    Ok(Message {
        id: id(row, column::ID)?,
        event_type: short(row, column::EVENT_TYPE)?.unwrap_or_default(),
        aggregate_type: short(row, column::AGGREGATE_TYPE)?.unwrap_or_default(),
        aggregate_id: short(row, column::AGGREGATE_ID)?.unwrap_or_default(),
        key: key.filter(|_| is_scope).map(lossy),
        payload: bytes(row, column::PAYLOAD)?.map(Bytes::copy_from_slice).unwrap_or_default(),
        content_type: short(row, column::CONTENT_TYPE)?.unwrap_or_default(),
        headers: bytes(row, column::HEADERS)?.map(headers).unwrap_or_default(),
        tenant: tenant.map(lossy),
        user: short(row, column::USER_ID)?,
        correlation_id: short(row, column::CORRELATION_ID)?,
        occurred_at: timestamp(row.get(column::OCCURRED_AT)?),
        due_at: row.get::<_, Option<i64>>(column::DUE_AT)?.map(timestamp),
        destination: short(row, column::DESTINATION)?,
        max_attempts: max_attempts.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        origin: origin.map(|(stream, event)| Origin { stream, event }),
    })
}

pub(super) fn id(row: &Row<'_>, column: usize) -> Result<MessageId> {
    let parsed = Uuid::try_parse_ascii(bytes(row, column)?.unwrap_or_default());
    parsed.map(MessageId).map_err(|error| Error::new(Kind::Corrupt, "the id of a message is no UUID").caused_by(error))
}

/// Text as it was written; where it is not UTF-8, as near as Rust can say it.
pub(super) fn text(row: &Row<'_>, column: usize) -> Result<Option<String>> {
    Ok(short(row, column)?.map(String::from))
}

fn short(row: &Row<'_>, column: usize) -> Result<Option<Text>> {
    Ok(bytes(row, column)?.map(lossy))
}

/// As [`text`], borrowed; nothing is empty.
pub(super) fn name<'row>(row: &'row Row<'_>, column: usize) -> Result<Cow<'row, str>> {
    Ok(String::from_utf8_lossy(bytes(row, column)?.unwrap_or_default()))
}

fn lossy(bytes: &[u8]) -> Text {
    // The check alone is several times faster than the conversion, and nearly always enough.
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::from(text),
        Err(_) => Text::from(String::from_utf8_lossy(bytes)),
    }
}

fn bytes<'row>(row: &'row Row<'_>, column: usize) -> Result<Option<&'row [u8]>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Some(bytes)),
        ValueRef::Integer(_) | ValueRef::Real(_) => Err(Error::new(Kind::Corrupt, "a text column holds a number")),
    }
}

/// Headers as this library writes them, or as people do by hand.
#[derive(Deserialize)]
#[serde(untagged)]
enum ByHand {
    Pairs(Vec<(String, serde_json::Value)>),
    Object(BTreeMap<String, serde_json::Value>),
}

fn headers(json: &[u8]) -> Headers {
    let plain = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    serde_json::from_slice(json).unwrap_or_else(|_| match serde_json::from_slice(json) {
        Ok(ByHand::Pairs(pairs)) => pairs.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        Ok(ByHand::Object(object)) => object.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        Err(_) => Headers::default(),
    })
}

impl ToSql for Partition {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::from(self.number()).into())
    }
}

impl FromSql for Partition {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        u16::column_result(value).map(Self::new)
    }
}

impl ToSql for Epoch {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.number()).unwrap_or(i64::MAX).into())
    }
}

impl FromSql for Epoch {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        u64::column_result(value).map(Self::new)
    }
}
