//! Rows to values and back.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use mysql_async::prelude::{FromValue, Queryable};
use mysql_async::{Params, Row, Value};
use uuid::Uuid;

use crate::error::{Error, Kind, Result};
use crate::journal::{Entry, Lease, Partition, Position};
use crate::message::{Message, MessageId, Origin, Text};
use crate::rules::due::scheduled_in;
use crate::stores::statement::MessageColumns;
use crate::stores::{headers, values};

/// The columns of a message, once for all statements that read messages.
pub(super) const MESSAGE_COLUMNS: &str = include_str!("sql/message_columns.sql");

/// Where the columns of a message stand in the rows of every statement that returns messages.
const COLUMNS: MessageColumns = MessageColumns::of(MESSAGE_COLUMNS);

/// Longest duration that is told to the database: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// As statements want it: `INTERVAL :ttl MICROSECOND`.
pub(super) fn micros(duration: Duration) -> i64 {
    values::signed(duration.min(LONGEST).as_micros())
}

/// How long until a time that is so many microseconds away; zero if that is over.
pub(super) fn until(micros: i64) -> Duration {
    Duration::from_micros(values::unsigned(micros))
}

/// A list of numbers for a statement.
pub(super) fn numbers<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// A list of partitions for a statement; one that is empty names a partition that never is.
pub(super) fn partitions(partitions: impl IntoIterator<Item = Partition>) -> String {
    let list = numbers(partitions);
    if list.is_empty() { "-1".into() } else { list }
}

/// A condition that holds for these leases, unless they were taken since.
pub(super) fn leases(held: &[Lease]) -> String {
    let one = |lease: &Lease| format!("`partition` = {} AND epoch = {}", lease.partition, lease.epoch);
    held.iter().map(one).collect::<Vec<_>>().join(" OR ")
}

/// The value of a column.
pub(super) fn get<T: FromValue>(row: &Row, column: &str) -> Result<T> {
    let value = row.get_opt(column).ok_or_else(|| damaged(format!("a row has no column `{column}`")))?;
    value.map_err(|_| damaged(format!("the column `{column}` holds another type of value than it should")))
}

fn damaged(text: String) -> Error {
    Error::new(Kind::Corrupt, text)
}

pub(super) fn partition(row: &Row) -> Result<Partition> {
    Ok(Partition::new(get(row, "partition")?))
}

pub(super) fn position(row: &Row, column: &str) -> Result<Position> {
    Ok(values::position(get(row, column)?))
}

/// A time in a column; one that is impossible becomes the nearest there is.
pub(super) fn timestamp(row: &Row, column: &str) -> Result<Option<Timestamp>> {
    row.as_ref_by_name(column).map_or(Ok(None), time)
}

/// A message at its place, as the statements have it that start with the columns of a message and end with the time.
pub(super) fn entry(row: Row, position: Position) -> Result<Entry> {
    let now = timestamp(&row, "now")?.unwrap_or_default();
    let mut columns = row.unwrap();
    let partition = Partition::new(number(&columns[COLUMNS.partition])?);
    let message = message(&mut columns)?;
    let due_in = scheduled_in(message.due_at.map(|at| at.as_millisecond()), now.as_millisecond());
    Ok(Entry { position, partition, message: Arc::new(message), due_in })
}

/// The number of the message in a row that starts with the columns of a message.
pub(super) fn seq(row: &Row) -> Result<i64> {
    row.as_ref(COLUMNS.seq).map_or_else(|| Err(damaged("a message has no number".into())), number)
}

fn message(columns: &mut [Value]) -> Result<Message> {
    let origin = text(columns, COLUMNS.source_stream).zip(text(columns, COLUMNS.source_event));
    let max_attempts = &columns[COLUMNS.max_attempts];
    let max_attempts = if *max_attempts == Value::NULL { None } else { Some(number(max_attempts)?) };
    Ok(Message {
        id: id(&columns[COLUMNS.id])?,
        event_type: text(columns, COLUMNS.event_type).unwrap_or_default(),
        aggregate_type: text(columns, COLUMNS.aggregate_type).unwrap_or_default(),
        aggregate_id: text(columns, COLUMNS.aggregate_id).unwrap_or_default(),
        key: text(columns, COLUMNS.key),
        payload: Bytes::from(bytes(columns, COLUMNS.payload).unwrap_or_default()),
        content_type: text(columns, COLUMNS.content_type).unwrap_or_default(),
        headers: bytes(columns, COLUMNS.headers).map(|json| headers::decode(&json)).unwrap_or_default(),
        tenant: text(columns, COLUMNS.tenant),
        user: text(columns, COLUMNS.user_id),
        correlation_id: text(columns, COLUMNS.correlation_id),
        occurred_at: time(&columns[COLUMNS.occurred_at])?.unwrap_or_default(),
        due_at: time(&columns[COLUMNS.due_at])?,
        destination: text(columns, COLUMNS.destination),
        max_attempts,
        origin: origin.map(|(stream, event)| Origin { stream, event }),
    })
}

/// The id of a message.
pub(super) fn id(value: &Value) -> Result<MessageId> {
    let text: &[u8] = if let Value::Bytes(bytes) = value { bytes } else { &[] };
    let parsed = Uuid::try_parse_ascii(text);
    parsed.map(MessageId).map_err(|error| damaged("the id of a message is no UUID".into()).caused_by(error))
}

fn bytes(columns: &mut [Value], column: usize) -> Option<Vec<u8>> {
    match std::mem::replace(&mut columns[column], Value::NULL) {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

fn text(columns: &mut [Value], column: usize) -> Option<Text> {
    let Value::Bytes(bytes) = &columns[column] else { return None };
    Some(match std::str::from_utf8(bytes) {
        Ok(text) => Text::from(text),
        Err(_) => Text::from(String::from_utf8_lossy(bytes)),
    })
}

fn number<T: TryFrom<i64>>(value: &Value) -> Result<T> {
    let number = match value {
        Value::Int(number) => Some(*number),
        Value::UInt(number) => i64::try_from(*number).ok(),
        _ => None,
    };
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| damaged("a column holds no such number".into()))
}

fn time(value: &Value) -> Result<Option<Timestamp>> {
    let Value::Date(year, month, day, hour, minute, second, micros) = *value else { return Ok(None) };
    let small = |number: u8| i8::try_from(number).unwrap_or_default();
    let year = i16::try_from(year).unwrap_or(i16::MAX);
    let nanos = i32::try_from(micros).unwrap_or_default().saturating_mul(1_000);
    let civil = DateTime::new(year, small(month), small(day), small(hour), small(minute), small(second), nanos);
    // `0000-00-00` is what a server that is not strict makes of nonsense.
    let at = civil.ok().and_then(|civil| civil.to_zoned(TimeZone::UTC).ok());
    Ok(Some(at.map_or(Timestamp::MIN, |at| at.timestamp())))
}

/// Columns by their name without a conversion.
pub(super) trait ByName {
    /// The value as it came, or `None` if there is no such column.
    fn as_ref_by_name(&self, column: &str) -> Option<&Value>;
}

impl ByName for Row {
    fn as_ref_by_name(&self, column: &str) -> Option<&Value> {
        let index = self.columns_ref().iter().position(|one| one.name_ref() == column.as_bytes())?;
        self.as_ref(index)
    }
}

/// Runs a statement whose text is seldom the same twice, so that it is not kept prepared, and returns its rows.
pub(super) async fn uncached<Q: Queryable>(
    connection: &mut Q,
    sql: String,
    params: impl Into<Params> + Send,
) -> Result<Vec<Row>> {
    let statement = connection.prep(sql).await?;
    let rows = connection.exec(&statement, params.into()).await;
    connection.close(statement).await?;
    Ok(rows?)
}

/// Runs a statement that is kept prepared, and returns its rows.
pub(super) async fn cached<Q: Queryable>(
    connection: &mut Q,
    sql: String,
    params: impl Into<Params> + Send,
) -> Result<Vec<Row>> {
    Ok(connection.exec(sql, params.into()).await?)
}

/// The server's clock, as statements take it.
pub(super) async fn now(connection: &mut impl Queryable) -> Result<String> {
    let now: Option<String> = connection.query_first("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)").await?;
    now.ok_or_else(|| damaged("the server does not know what time it is".into()))
}
