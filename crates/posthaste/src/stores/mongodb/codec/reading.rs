//! Reading a document field by field, in whatever order its fields are.

use bytes::Bytes;
use jiff::Timestamp;
use mongodb::bson::{Bson, RawBsonRef};
use uuid::Uuid;

use super::super::db::Db;
use super::super::options::Field;
use super::{Row, corrupt, id, json, timestamp, value};
use crate::error::Result;
use crate::journal::Partition;
use crate::message::{Headers, Message, MessageId, Origin, Text};

/// What was read of a document so far.
pub(super) struct Reading<'a> {
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
    pub(super) fn new(db: &'a Db) -> Self {
        let row = blank();
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

    pub(super) fn id(&mut self, value: RawBsonRef<'_>) -> Result<()> {
        self.row.id = Bson::try_from(value).map_err(|_| corrupt("the `_id` of a document is damaged"))?;
        Ok(())
    }

    /// What the library and the sequencer wrote.
    pub(super) fn own(&mut self, value: RawBsonRef<'_>) -> Result<()> {
        let Some(own) = value.as_document() else {
            self.row.is_in_the_way = true;
            self.row.damage = Some("`posthaste` is not for writers".into());
            return Ok(());
        };
        for element in own {
            let (name, value) = element.map_err(|_| corrupt("a document of the journal is damaged"))?;
            match name.as_str() {
                "seq" => self.row.seq = value::whole(value).unwrap_or_default(),
                "partition" => {
                    self.row.partition =
                        Partition::new(value::whole(value).and_then(|n| n.try_into().ok()).unwrap_or_default());
                }
                "at" => self.row.at = value::moment(value).unwrap_or_default(),
                "key" => self.own_key = Some(value::text(value)),
                "id" => self.own_id = value::uuid(value),
                "chunks" => self.row.chunks = value::whole(value).unwrap_or_default(),
                _ => {}
            }
        }
        Ok(())
    }

    /// What the application wrote.
    pub(super) fn field(&mut self, field: Field, value: RawBsonRef<'_>) -> Result<()> {
        let message = &mut self.row.message;
        match field {
            Field::Id => self.given_id = value::uuid(value),
            Field::EventType => message.event_type = value::text(value).unwrap_or_default(),
            Field::AggregateType => message.aggregate_type = value::text(value).unwrap_or_default(),
            Field::AggregateId => message.aggregate_id = value::text(value).unwrap_or_default(),
            Field::Key => self.given_key = Some(value::text(value)),
            Field::Payload => self.payload(value)?,
            Field::ContentType => self.content_type = value::text(value),
            Field::Headers => message.headers = value::headers(value)?,
            Field::Tenant => message.tenant = value::text(value).filter(|tenant| !tenant.is_empty()),
            Field::User => message.user = value::text(value),
            Field::CorrelationId => message.correlation_id = value::text(value),
            Field::OccurredAt => self.occurred_at = value::moment(value),
            Field::DueAt => message.due_at = value::moment(value).map(timestamp),
            Field::Destination => message.destination = value::text(value),
            Field::MaxAttempts => {
                message.max_attempts = value::whole(value).and_then(|n| n.try_into().ok()).filter(|&n| n > 0);
            }
            Field::SourceStream => self.stream = value::text(value),
            Field::SourceEvent => self.event = value::text(value),
            Field::RecordedAt => self.row.recorded_at = value.as_timestamp(),
            Field::Status => self.row.status = value::text(value),
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
            other => json::encode(other)?.into(),
        };
        Ok(())
    }

    /// The row, once every field was read.
    pub(super) fn end(mut self) -> Row {
        self.row.by_library = self.own_key.is_some() && self.row.seq == 0;
        let made_id = id::decode(&self.row.id);
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

/// A document of which nothing was read yet.
fn blank() -> Row {
    Row {
        id: Bson::Null,
        seq: 0,
        partition: Partition::new(0),
        at: 0,
        message: blank_message(),
        chunks: 0,
        by_library: false,
        recorded_at: None,
        status: None,
        is_processed: false,
        id_is_given: false,
        damage: None,
        written_id: None,
        is_in_the_way: false,
    }
}

fn blank_message() -> Message {
    Message {
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
    }
}
