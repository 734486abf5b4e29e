//! Documents to values.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{self, Binary, Bson, Document, RawBsonRef, RawDocument, doc};
use uuid::Uuid;

use super::db::{Db, corrupt};
use super::options::Field;
use super::{document, json};
use crate::error::Result;
use crate::journal::{Cursor, Entry, Partition, Position};
use crate::message::{Headers, Message, MessageId, OrderKey, Origin, Text};

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

pub(super) fn uuid(id: MessageId) -> Binary {
    Binary { subtype: BinarySubtype::Uuid, bytes: id.0.as_bytes().to_vec() }
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

pub(super) fn text(document: &Document, name: &str) -> Result<String> {
    document.get_str(name).map(str::to_owned).map_err(|_| corrupt(format!("`{name}` of a document is no text")))
}

pub(super) fn whole(document: &Document, name: &str) -> Result<i64> {
    super::db::number(document, name).ok_or_else(|| corrupt(format!("`{name}` of a document is no number")))
}

pub(super) fn moment(document: &Document, name: &str) -> Option<i64> {
    document.get_datetime(name).ok().map(|at| at.timestamp_millis())
}

/// What is done beyond a cursor: the gaps, seven bits at a time.
pub(super) fn encode_done(cursor: &Cursor) -> Binary {
    let (mut bytes, mut last) = (Vec::new(), cursor.low.seq);
    for done in cursor.done.iter().filter(|done| **done > cursor.low) {
        let mut gap = done.seq - last;
        last = done.seq;
        while gap >= 0x80 {
            bytes.push((gap & 0x7f) as u8 | 0x80);
            gap >>= 7;
        }
        bytes.push(gap as u8);
    }
    Binary { subtype: BinarySubtype::Generic, bytes }
}

pub(super) fn decode_cursor(lane: &Document) -> Result<Cursor> {
    let low = position(whole(lane, "low")?);
    let (mut done, mut at, mut gap, mut shift) = (Vec::new(), low.seq, 0u64, 0);
    for &byte in lane.get_binary_generic("done").map_err(|_| corrupt("a cursor is damaged"))? {
        gap |= u64::from(byte & 0x7f).checked_shl(shift).ok_or_else(|| corrupt("a cursor is damaged"))?;
        shift += 7;
        if byte & 0x80 == 0 {
            at = at.saturating_add(gap);
            done.push(Position::seq(at));
            (gap, shift) = (0, 0);
        }
    }
    Ok(Cursor { low, done })
}

/// A document of the journal, or one on its way into it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: Bson,
    pub(super) seq: i64,
    pub(super) partition: Partition,
    /// When it got its place.
    pub(super) at: i64,
    pub(super) message: Message,
    /// How many further documents its payload is in.
    pub(super) chunks: i64,
    /// The library wrote it, so it was checked.
    pub(super) by_library: bool,
    /// The server's logical clock when it was inserted, where the writer asked for it.
    pub(super) recorded_at: Option<bson::Timestamp>,
    pub(super) status: Option<Text>,
    /// Someone stamped it as done: `publishedAt` or `processedAt` has a value.
    pub(super) is_processed: bool,
    /// Its id is neither its `_id` nor made of it.
    pub(super) id_is_given: bool,
}

impl Row {
    pub(super) fn entry(self, now: i64) -> Entry {
        let due_at = self.message.due_at.map(|at| at.as_millisecond());
        Entry {
            position: position(self.seq),
            partition: self.partition,
            message: Arc::new(self.message),
            due_in: due_at.filter(|&due_at| due_at > now).map(|due_at| until(due_at, now)),
        }
    }
}

/// Reads a document, whoever wrote it. What is missing or makes no sense is left empty: whether it can be a message at all is
/// decided once, by the sequencer.
pub(super) fn row(db: &Db, document: &RawDocument) -> Result<Row> {
    let mut reading = Reading::new(db);
    for element in document {
        let (name, value) = element.map_err(|_| corrupt("a document of the journal is damaged"))?;
        match name.as_str() {
            "_id" => {
                reading.row.id = Bson::try_from(value).map_err(|_| corrupt("the `_id` of a document is damaged"))?;
            }
            "posthaste" => reading.own(value)?,
            name => {
                if let Some(field) = db.field(name) {
                    reading.field(field, value)?;
                }
            }
        }
    }
    Ok(reading.end())
}

struct Reading<'a> {
    db: &'a Db,
    row: Row,
    given_id: Option<Uuid>,
    own_id: Option<Uuid>,
    /// `None` where nothing was said.
    given_key: Option<Option<Text>>,
    own_key: Option<Option<Text>>,
    occurred_at: Option<i64>,
    content_type: Option<Text>,
    natural_content_type: &'static str,
    stream: Option<Text>,
    event: Option<Text>,
}

impl<'a> Reading<'a> {
    fn new(db: &'a Db) -> Self {
        let message = Message {
            id: MessageId(Uuid::nil()),
            event_type: Text::default(),
            aggregate_type: Text::default(),
            aggregate_id: Text::default(),
            key: None,
            payload: Bytes::new(),
            content_type: Text::default(),
            headers: Headers::default(),
            tenant: None,
            user: None,
            correlation_id: None,
            occurred_at: Timestamp::UNIX_EPOCH,
            due_at: None,
            destination: None,
            max_attempts: None,
            origin: None,
        };
        let row = Row {
            id: Bson::Null,
            seq: 0,
            partition: Partition::new(0),
            at: 0,
            message,
            chunks: 0,
            by_library: false,
            recorded_at: None,
            status: None,
            is_processed: false,
            id_is_given: false,
        };
        Self {
            db,
            row,
            given_id: None,
            own_id: None,
            given_key: None,
            own_key: None,
            occurred_at: None,
            content_type: None,
            natural_content_type: "application/json",
            stream: None,
            event: None,
        }
    }

    /// What the library and the sequencer wrote.
    fn own(&mut self, value: RawBsonRef<'_>) -> Result<()> {
        let Some(own) = value.as_document() else { return Ok(()) };
        for element in own {
            let (name, value) = element.map_err(|_| corrupt("a document of the journal is damaged"))?;
            match name.as_str() {
                "seq" => self.row.seq = whole_of(value).unwrap_or_default(),
                "partition" => {
                    self.row.partition =
                        Partition::new(whole_of(value).and_then(|n| n.try_into().ok()).unwrap_or_default())
                }
                "at" => self.row.at = moment_of(value).unwrap_or_default(),
                "key" => self.own_key = Some(text_of(value)),
                "id" => self.own_id = uuid_of(value),
                "chunks" => self.row.chunks = whole_of(value).unwrap_or_default(),
                _ => {}
            }
        }
        Ok(())
    }

    fn field(&mut self, field: Field, value: RawBsonRef<'_>) -> Result<()> {
        let message = &mut self.row.message;
        match field {
            Field::Id => self.given_id = uuid_of(value),
            Field::EventType => message.event_type = text_of(value).unwrap_or_default(),
            Field::AggregateType => message.aggregate_type = text_of(value).unwrap_or_default(),
            Field::AggregateId => message.aggregate_id = text_of(value).unwrap_or_default(),
            Field::Key => self.given_key = Some(text_of(value)),
            Field::Payload => self.payload(value)?,
            Field::ContentType => self.content_type = text_of(value),
            Field::Headers => message.headers = headers_of(value)?,
            Field::Tenant => message.tenant = text_of(value).filter(|tenant| !tenant.is_empty()),
            Field::User => message.user = text_of(value),
            Field::CorrelationId => message.correlation_id = text_of(value),
            Field::OccurredAt => self.occurred_at = moment_of(value),
            Field::DueAt => message.due_at = moment_of(value).map(timestamp),
            Field::Destination => message.destination = text_of(value),
            Field::MaxAttempts => {
                message.max_attempts = whole_of(value).and_then(|n| n.try_into().ok()).filter(|&n| n > 0);
            }
            Field::SourceStream => self.stream = text_of(value),
            Field::SourceEvent => self.event = text_of(value),
            Field::RecordedAt => self.row.recorded_at = value.as_timestamp(),
            Field::Status => self.row.status = text_of(value),
            Field::PublishedAt | Field::ProcessedAt => self.row.is_processed |= value != RawBsonRef::Null,
            Field::RetryCount | Field::LastError => {}
        }
        Ok(())
    }

    fn payload(&mut self, value: RawBsonRef<'_>) -> Result<()> {
        self.row.message.payload = match value {
            RawBsonRef::String(text) => Bytes::copy_from_slice(text.as_bytes()),
            RawBsonRef::Binary(binary) => {
                self.natural_content_type = "application/octet-stream";
                Bytes::copy_from_slice(binary.bytes)
            }
            RawBsonRef::Null => Bytes::new(),
            other => json::of(other)?.into(),
        };
        Ok(())
    }

    fn end(mut self) -> Row {
        self.row.by_library = self.own_key.is_some() && self.row.seq == 0;
        let made_id = document::id_of(&self.row.id);
        let message = &mut self.row.message;
        self.row.id_is_given = self.given_id.is_some_and(|given| Some(given) != made_id);
        let id = self.own_id.or(self.given_id).or(made_id);
        message.id = MessageId(id.unwrap_or_else(Uuid::nil));
        if message.aggregate_type.is_empty() {
            message.aggregate_type = self.db.options.aggregate_type.as_str().into();
        }
        message.key = self
            .own_key
            .or(self.given_key)
            .unwrap_or_else(|| Some(format!("{}/{}", message.aggregate_type, message.aggregate_id).into()));
        message.content_type = self.content_type.unwrap_or_else(|| self.natural_content_type.into());
        let inserted = || match &self.row.id {
            Bson::ObjectId(id) => Some(id.timestamp().timestamp_millis()),
            _ => self.row.recorded_at.map(|at| i64::from(at.time) * 1_000),
        };
        message.occurred_at = timestamp(self.occurred_at.or_else(inserted).unwrap_or(self.row.at));
        message.origin = self.stream.zip(self.event).map(|(stream, event)| Origin { stream, event });
        self.row
    }
}

/// Text, or what people use in its place as an id.
fn text_of(value: RawBsonRef<'_>) -> Option<Text> {
    match value {
        RawBsonRef::String(text) => Some(text.into()),
        RawBsonRef::ObjectId(id) => Some(id.to_hex().into()),
        RawBsonRef::Int32(number) => Some(number.to_string().into()),
        RawBsonRef::Int64(number) => Some(number.to_string().into()),
        RawBsonRef::Binary(_) => uuid_of(value).map(|id| id.to_string().into()),
        _ => None,
    }
}

fn whole_of(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(number) => Some(number.into()),
        RawBsonRef::Int64(number) => Some(number),
        #[expect(clippy::cast_possible_truncation, reason = "JavaScript writes whole numbers as doubles")]
        RawBsonRef::Double(number) => Some(number as i64),
        _ => None,
    }
}

/// A date, or its text in ISO 8601.
fn moment_of(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::DateTime(at) => Some(at.timestamp_millis()),
        RawBsonRef::String(text) => text.parse::<Timestamp>().ok().map(|at| at.as_millisecond()),
        RawBsonRef::Timestamp(at) => Some(i64::from(at.time) * 1_000),
        _ => None,
    }
}

fn uuid_of(value: RawBsonRef<'_>) -> Option<Uuid> {
    match value {
        RawBsonRef::Binary(binary) if matches!(binary.subtype, BinarySubtype::Uuid | BinarySubtype::UuidOld) => {
            Uuid::from_slice(binary.bytes).ok()
        }
        RawBsonRef::String(text) => Uuid::try_parse(text).ok(),
        _ => None,
    }
}

/// `[["name", "value"], …]` as the library writes it, or `{name: value, …}` as people do.
fn headers_of(value: RawBsonRef<'_>) -> Result<Headers> {
    let mut headers = Headers::default();
    if let Some(object) = value.as_document() {
        for element in object {
            let (name, value) = element.map_err(|_| corrupt("the headers of a message are damaged"))?;
            headers.push(name.as_str(), plain(value)?);
        }
    }
    for pair in value.as_array().into_iter().flatten() {
        let pair = pair.map_err(|_| corrupt("the headers of a message are damaged"))?;
        let Some(pair) = pair.as_array() else { continue };
        let mut parts = pair.into_iter().filter_map(Result::ok);
        if let (Some(RawBsonRef::String(name)), Some(value)) = (parts.next(), parts.next()) {
            headers.push(name, plain(value)?);
        }
    }
    Ok(headers)
}

fn plain(value: RawBsonRef<'_>) -> Result<String> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Ok(String::from_utf8_lossy(&json::of(value)?).into_owned()),
    }
}
