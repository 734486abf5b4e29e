//! Rows to values and back.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, RowIndex, Statement};
use serde::Serialize;
use uuid::Uuid;

use super::outbox::MESSAGE_COLUMNS;
use crate::error::{Error, Kind, Result};
use crate::journal::{Entry, Epoch, Partition};
use crate::message::{Message, MessageId, Origin, Text};
use crate::rules::due::scheduled_in;
use crate::stores::statement::MessageColumns;
use crate::stores::{headers, values};

/// Milliseconds since 1970: SQLite's clock is that of the machine, which all who share the file share too.
pub(super) fn now() -> i64 {
    crate::clock::now().as_millisecond()
}

/// A pattern in which only `*` means something, as GLOB wants it.
pub(super) fn glob(pattern: &str) -> String {
    pattern.replace('[', "[[]").replace('?', "[?]")
}

/// A list as a parameter: SQLite reads it with `json_each`.
pub(super) fn json<T: Serialize + ?Sized>(list: &T) -> Result<String> {
    serde_json::to_string(list).map_err(|error| Error::new(Kind::Invalid, "cannot be written as JSON").caused_by(error))
}

/// Where the columns of these names stand in the rows of a statement, for one that returns many: looked up once, not for each.
pub(super) fn columns<const N: usize>(statement: &Statement<'_>, names: [&str; N]) -> Result<[usize; N]> {
    let mut columns = [0; N];
    for (column, name) in columns.iter_mut().zip(names) {
        *column = statement.column_index(name)?;
    }
    Ok(columns)
}

/// Where the columns of a message stand in the rows of every statement that returns messages.
const COLUMNS: MessageColumns = MessageColumns::of(MESSAGE_COLUMNS);

/// A message at its place, as the statements have it that start with the columns of a message.
pub(super) fn entry(row: &Row<'_>, now: i64) -> Result<Entry> {
    Ok(Entry {
        position: values::position(row.get(COLUMNS.seq)?),
        partition: row.get(COLUMNS.partition)?,
        message: Arc::new(message(row)?),
        due_in: scheduled_in(row.get(COLUMNS.due_at)?, now),
    })
}

fn message(row: &Row<'_>) -> Result<Message> {
    let (key, tenant) = (bytes(row, COLUMNS.key)?, bytes(row, COLUMNS.tenant)?);
    // SQLite stores any bytes as text. A scope that is not UTF-8 could not be looked up again, so it orders nothing.
    let is_scope = [key, tenant].into_iter().flatten().all(|bytes| std::str::from_utf8(bytes).is_ok());
    let origin = short(row, COLUMNS.source_stream)?.zip(short(row, COLUMNS.source_event)?);
    let max_attempts: Option<i64> = row.get(COLUMNS.max_attempts)?;
    Ok(Message {
        id: id(row, COLUMNS.id)?,
        event_type: short(row, COLUMNS.event_type)?.unwrap_or_default(),
        aggregate_type: short(row, COLUMNS.aggregate_type)?.unwrap_or_default(),
        aggregate_id: short(row, COLUMNS.aggregate_id)?.unwrap_or_default(),
        key: key.filter(|_| is_scope).map(lossy),
        payload: payload(row)?,
        content_type: short(row, COLUMNS.content_type)?.unwrap_or_default(),
        headers: bytes(row, COLUMNS.headers)?.map(headers::decode).unwrap_or_default(),
        tenant: tenant.map(lossy),
        user: short(row, COLUMNS.user_id)?,
        correlation_id: short(row, COLUMNS.correlation_id)?,
        occurred_at: values::timestamp(row.get(COLUMNS.occurred_at)?),
        due_at: row.get::<_, Option<i64>>(COLUMNS.due_at)?.map(values::timestamp),
        destination: short(row, COLUMNS.destination)?,
        max_attempts: max_attempts.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        origin: origin.map(|(stream, event)| Origin { stream, event }),
    })
}

/// Of a row that names its partition nothing is checked, and the column takes numbers, too: a row that cannot be read would stop its lane.
fn payload(row: &Row<'_>) -> Result<Bytes> {
    Ok(match row.get_ref(COLUMNS.payload)? {
        ValueRef::Integer(number) => number.to_string().into(),
        ValueRef::Real(number) => number.to_string().into(),
        _ => bytes(row, COLUMNS.payload)?.map(Bytes::copy_from_slice).unwrap_or_default(),
    })
}

/// The id of a message. A column is given by its name or, where there are many rows, by its index.
pub(super) fn id(row: &Row<'_>, column: impl RowIndex) -> Result<MessageId> {
    let parsed = Uuid::try_parse_ascii(bytes(row, column)?.unwrap_or_default());
    parsed.map(MessageId).map_err(|error| Error::new(Kind::Corrupt, "the id of a message is no UUID").caused_by(error))
}

/// Text as it was written; where it is not UTF-8, as near as Rust can say it.
pub(super) fn text(row: &Row<'_>, column: impl RowIndex) -> Result<Option<String>> {
    Ok(short(row, column)?.map(String::from))
}

fn short(row: &Row<'_>, column: impl RowIndex) -> Result<Option<Text>> {
    Ok(bytes(row, column)?.map(lossy))
}

/// As [`text`], borrowed; what is missing is empty.
pub(super) fn name<'row>(row: &'row Row<'_>, column: impl RowIndex) -> Result<Cow<'row, str>> {
    Ok(String::from_utf8_lossy(bytes(row, column)?.unwrap_or_default()))
}

fn lossy(bytes: &[u8]) -> Text {
    // The check alone is several times faster than the conversion, and nearly always enough.
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::from(text),
        Err(_) => Text::from(String::from_utf8_lossy(bytes)),
    }
}

fn bytes<'row>(row: &'row Row<'_>, column: impl RowIndex) -> Result<Option<&'row [u8]>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Some(bytes)),
        ValueRef::Integer(_) | ValueRef::Real(_) => Err(Error::new(Kind::Corrupt, "a text column holds a number")),
    }
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
        Ok(values::signed(self.number()).into())
    }
}

impl FromSql for Epoch {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        u64::column_result(value).map(Self::new)
    }
}
