//! Messages from rows.

use std::error::Error as StdError;
use std::sync::Arc;

use bytes::Bytes;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};
use uuid::Uuid;

use super::{Xid, partition, timestamp, until};
use crate::error::Result;
use crate::journal::{Entry, Partition, Position};
use crate::message::{Message, MessageId, Origin, Text};
use crate::stores::headers;
use crate::stores::statement::{MessageColumns, column};
use crate::stores::values::unsigned;

/// What every statement that returns messages selects first.
pub(in crate::stores::postgres) const COLUMNS: &str = include_str!("../sql/message_columns.sql");

const AT: MessageColumns = MessageColumns::of(COLUMNS);
const XID: usize = column(COLUMNS, "xid");
const DUE_IN: usize = column(COLUMNS, "due_in");

/// `None` in a row that has no message.
pub(in crate::stores::postgres) fn seq_of(row: &Row) -> Result<Option<i64>> {
    Ok(row.try_get(AT.seq)?)
}

pub(in crate::stores::postgres) fn partition_of(row: &Row) -> Result<Partition> {
    partition(row.try_get(AT.partition)?)
}

pub(in crate::stores::postgres) fn xid_of(row: &Row) -> Result<Xid> {
    Ok(row.try_get(XID)?)
}

pub(in crate::stores::postgres) fn entry(row: &Row, tick: u64) -> Result<Entry> {
    let due_in: Option<i64> = row.try_get(DUE_IN)?;
    Ok(Entry {
        position: Position { tick, seq: unsigned(row.try_get(AT.seq)?) },
        partition: partition_of(row)?,
        message: Arc::new(message(row)?),
        due_in: due_in.filter(|millis| *millis > 0).map(until),
    })
}

pub(in crate::stores::postgres) fn message(row: &Row) -> Result<Message> {
    let (aggregate_type, aggregate_id): (&str, &str) = (row.try_get(AT.aggregate_type)?, row.try_get(AT.aggregate_id)?);
    let key = row.try_get::<_, Option<&str>>(AT.key)?;
    let max_attempts: Option<i32> = row.try_get(AT.max_attempts)?;
    let headers: Option<Json<'_>> = row.try_get(AT.headers)?;
    Ok(Message {
        id: MessageId(row.try_get::<_, Uuid>(AT.id)?),
        event_type: Text::from(row.try_get::<_, &str>(AT.event_type)?),
        aggregate_type: aggregate_type.into(),
        aggregate_id: aggregate_id.into(),
        key: key.map(|key| if key.is_empty() { aggregate_key(aggregate_type, aggregate_id) } else { key.into() }),
        payload: Bytes::copy_from_slice(row.try_get(AT.payload)?),
        content_type: Text::from(row.try_get::<_, &str>(AT.content_type)?),
        headers: headers.map(|Json(json)| headers::decode(json)).unwrap_or_default(),
        tenant: text(row, AT.tenant)?,
        user: text(row, AT.user_id)?,
        correlation_id: text(row, AT.correlation_id)?,
        occurred_at: timestamp(row, AT.occurred_at)?.unwrap_or_default(),
        due_at: timestamp(row, AT.due_at)?,
        destination: text(row, AT.destination)?,
        max_attempts: max_attempts.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        origin: origin(row)?,
    })
}

fn origin(row: &Row) -> Result<Option<Origin>> {
    let (stream, event) = (text(row, AT.source_stream)?, text(row, AT.source_event)?);
    Ok(stream.zip(event).map(|(stream, event)| Origin { stream, event }))
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
