//! Rows to values and back.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use jiff::Timestamp;
use serde::Deserialize;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::error::{Error, Kind, Result};
use crate::journal::{Entry, Partition, Position};
use crate::message::{Headers, Message, MessageId, OrderKey, Origin, Text};

/// The id of a transaction, with its epoch: never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Xid(pub(super) u64);

impl FromSql<'_> for Xid {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(u64::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::XID8
    }
}

impl ToSql for Xid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.put_u64(self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::XID8
    }

    to_sql_checked!();
}

/// JSON as it stands in the row, unchecked.
struct Json<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Json<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSON
    }
}

/// Longest duration that is told to the database: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// As statements want it: `$1 * interval '1 microsecond'`.
pub(super) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.min(LONGEST).as_micros()).unwrap_or(i64::MAX)
}

/// How long until a time that is so many milliseconds away; zero if that is over.
pub(super) fn until(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// As a `bigint`, which is what positions are made of.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn position(tick: i64, seq: i64) -> Position {
    Position { tick: unsigned(tick), seq: unsigned(seq) }
}

pub(super) fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(super) fn partition(number: i32) -> Result<Partition> {
    u16::try_from(number)
        .map(Partition::new)
        .map_err(|error| Error::new(Kind::Corrupt, "a partition has no such number").caused_by(error))
}

pub(super) fn partitions(numbers: &[Partition]) -> Vec<i32> {
    numbers.iter().map(|&number| i32::from(number.number())).collect()
}

/// As keys of held and parked rows, where nothing may be NULL; a message never has an empty tenant.
pub(super) fn tenant(key: &OrderKey) -> &str {
    key.tenant.as_deref().unwrap_or_default()
}

/// The inverse of [`tenant`].
pub(super) fn order_key(tenant: String, key: String) -> OrderKey {
    OrderKey { tenant: Some(tenant).filter(|tenant| !tenant.is_empty()).map(Text::from), key: key.into() }
}

/// A pattern of a route, in which only `*` means something, as LIKE wants it.
pub(super) fn like(pattern: &str) -> String {
    pattern.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_").replace('*', "%")
}

/// The columns that every statement that returns messages starts with: those of the message, then its transaction, then how many
/// milliseconds until it is due.
const XID: usize = 19;
const DUE_IN: usize = 20;

/// The first column after those.
pub(super) const AFTER_MESSAGE: usize = 21;

pub(super) fn seq_of(row: &Row) -> Result<i64> {
    Ok(row.try_get(0)?)
}

pub(super) fn partition_of(row: &Row) -> Result<Partition> {
    partition(row.try_get(1)?)
}

pub(super) fn xid_of(row: &Row) -> Result<Xid> {
    Ok(row.try_get(XID)?)
}

pub(super) fn entry(row: &Row, tick: u64) -> Result<Entry> {
    let due_in: Option<i64> = row.try_get(DUE_IN)?;
    Ok(Entry {
        position: Position { tick, seq: unsigned(seq_of(row)?) },
        partition: partition_of(row)?,
        message: Arc::new(message(row)?),
        due_in: due_in.filter(|millis| *millis > 0).map(until),
    })
}

pub(super) fn message(row: &Row) -> Result<Message> {
    let (aggregate_type, aggregate_id): (&str, &str) = (row.try_get(4)?, row.try_get(5)?);
    let key = row.try_get::<_, Option<&str>>(6)?;
    let key = key.map(|key| if key.is_empty() { aggregate_key(aggregate_type, aggregate_id) } else { key.into() });
    let max_attempts: Option<i32> = row.try_get(14)?;
    let headers: Option<Json<'_>> = row.try_get(17)?;
    Ok(Message {
        id: MessageId(row.try_get::<_, Uuid>(2)?),
        event_type: Text::from(row.try_get::<_, &str>(3)?),
        aggregate_type: aggregate_type.into(),
        aggregate_id: aggregate_id.into(),
        key,
        payload: Bytes::copy_from_slice(row.try_get(18)?),
        content_type: Text::from(row.try_get::<_, &str>(10)?),
        headers: headers.map(|Json(json)| self::headers(json)).unwrap_or_default(),
        tenant: text(row, 7)?,
        user: text(row, 8)?,
        correlation_id: text(row, 9)?,
        occurred_at: timestamp(row, 11)?.unwrap_or_default(),
        due_at: timestamp(row, 12)?,
        destination: text(row, 13)?,
        max_attempts: max_attempts.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        origin: text(row, 15)?.zip(text(row, 16)?).map(|(stream, event)| Origin { stream, event }),
    })
}

/// The key of a message that was given none. Put together by hand, because nearly every message that is read needs one.
fn aggregate_key(aggregate_type: &str, aggregate_id: &str) -> Text {
    let mut key = Text::with_capacity(aggregate_type.len() + 1 + aggregate_id.len());
    for part in [aggregate_type, "/", aggregate_id] {
        key.push_str(part);
    }
    key
}

fn text(row: &Row, column: usize) -> Result<Option<Text>> {
    Ok(row.try_get::<_, Option<&str>>(column)?.map(Text::from))
}

/// A time that someone wrote; PostgreSQL knows times that are far beyond ours, which become the nearest there is.
pub(super) fn timestamp(row: &Row, column: usize) -> Result<Option<Timestamp>> {
    let micros: Option<Since2000> = row.try_get(column)?;
    Ok(micros.map(|Since2000(micros)| {
        let nearest = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Timestamp::from_microsecond(micros.saturating_add(SECONDS_TO_2000 * 1_000_000)).unwrap_or(nearest)
    }))
}

const SECONDS_TO_2000: i64 = 946_684_800;

/// Microseconds, as PostgreSQL stores a time.
struct Since2000(i64);

impl FromSql<'_> for Since2000 {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(i64::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
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
