//! An expression that makes messages of the events of a source.

use bytes::Bytes;
use jaq_json::{Map, Val};
use jiff::Timestamp;

use super::document::{Encoding, HEADERS, PAYLOAD, PAYLOAD_ENCODING, content, name, text};
use super::value::Value;
use super::{Errors, Expression, Wrong, json, transform};
use crate::message::{Limits, Message, MessageId, Text};
use crate::source::rules::{Payload, as_it_is};
use crate::source::{Event, Mapper, Unmappable};

const DESTINATION: &str = "destination";
const DESTINATIONS: &str = "destinations";
const CONTENT_TYPE: &str = "content_type";

/// What a result may say about its message.
const FIELDS: [&str; 15] = [
    "event_type",
    "aggregate_type",
    "aggregate_id",
    "key",
    "tenant",
    "user",
    "correlation_id",
    "occurred_at",
    "due_at",
    DESTINATION,
    DESTINATIONS,
    CONTENT_TYPE,
    HEADERS,
    PAYLOAD,
    PAYLOAD_ENCODING,
];

/// A mapper: each result of the expression is a message, `null` is none. What a result does not say is as the event has it.
#[derive(Debug, Clone)]
pub struct Mapping(Expression);

impl Mapping {
    /// Compiles the text of a mapping.
    pub fn new(source: &str) -> Result<Self, Wrong> {
        Expression::new(source).map(Self)
    }
}

impl Mapper for Mapping {
    fn map(&self, event: &Event) -> Result<Vec<Message>, Unmappable> {
        let made = self.0.evaluate(
            Errors::Discreet,
            || Ok(document(event)),
            |results| {
                let made: Result<Vec<_>, _> = results.iter().map(|result| messages(event, result)).collect();
                Ok(made?.concat())
            },
        );
        made.map_err(|why| Unmappable::new(format_args!("map: {why}")))
    }
}

/// What a rule makes of the data of an event, by an expression that gets the data.
pub fn payload(source: &str) -> Result<Payload, Wrong> {
    let expression = Expression::new(source)?;
    Ok(Payload::new(source, move |event| {
        let made = expression.evaluate(
            Errors::Discreet,
            || data(event),
            |results| match &results[..] {
                [one] => Ok(Bytes::from(json::write(one))),
                [] => Err("it has no result: to ignore events, let no rule match them".into()),
                _ => Err("it has several results, and a payload is one".into()),
            },
        );
        made.map_err(|why| format!("payload: {why}"))
    }))
}

fn data(event: &Event) -> Result<Value, String> {
    match content(&event.data, &event.content_type) {
        (data, Encoding::Json) => Ok(Value::weighed(data)),
        _ => Err("the data of the event is not JSON".into()),
    }
}

/// An event as an expression sees it. Absent fields are `null`.
fn document(event: &Event) -> Value {
    let (data, encoding) = content(&event.data, &event.content_type);
    let metadata = if event.metadata.is_empty() { Val::Null } else { content(&event.metadata, "application/json").0 };
    let number = |revision: u64| Val::from(usize::try_from(revision).unwrap_or(usize::MAX));
    let mut fields = Map::default();
    let mut put = |field, value| drop(fields.insert(name(field), value));
    put("stream", text(&event.stream));
    put("id", text(&event.id));
    put("event_type", text(&event.event_type));
    put("revision", event.revision.map_or(Val::Null, number));
    let given = event.given.as_deref().cloned().unwrap_or_default();
    let (kind, id) = given.aggregate.as_ref().map_or((Val::Null, Val::Null), |(kind, id)| (text(kind), text(id)));
    put("aggregate_type", kind);
    put("aggregate_id", id);
    put("key", given.key.as_deref().map_or(Val::Null, text));
    put(DESTINATION, given.destination.as_deref().map_or(Val::Null, text));
    put("due_at", given.due_at.map_or(Val::Null, |at| text(&at.to_string())));
    put("recorded_at", event.recorded_at.map_or(Val::Null, |at| text(&at.to_string())));
    put(CONTENT_TYPE, text(&event.content_type));
    put("data", data);
    put("data_encoding", text(encoding.name()));
    put("metadata", metadata);
    Value::weighed(Val::obj(fields))
}

/// The messages of one result: one for each destination that it names.
fn messages(event: &Event, result: &Value) -> Result<Vec<Message>, String> {
    let fields = match &result.0 {
        Val::Null => return Ok(Vec::new()),
        Val::Obj(fields) => fields,
        Val::Arr(_) => return Err("its result is an array: write `.[]` behind it for a message of each item".into()),
        _ => return Err("its result is no object: make messages as {event_type, payload}, or `empty`".into()),
    };
    if fields.keys().any(|field| !FIELDS.into_iter().any(|known| *field == name(known))) {
        return Err(format!("its result has a field that messages have not: they have {}", FIELDS.join(", ")));
    }
    let said = Said(fields);
    let message = message(event, &said)?;
    let Some(destinations) = said.get(DESTINATIONS) else { return Ok(vec![message]) };
    let Val::Arr(names) = destinations else { return Err("`destinations` is no array".into()) };
    let to = |name: &Val| {
        let destination = Value(name.clone()).as_str().map(Text::from).ok_or("`destinations` holds what is no text")?;
        checked(Message { id: MessageId::generate(), destination: Some(destination), ..message.clone() })
    };
    names.iter().map(to).collect()
}

/// What a result says.
struct Said<'a>(&'a Map);

impl Said<'_> {
    fn get(&self, field: &'static str) -> Option<&Val> {
        self.0.get(&name(field))
    }

    /// Numbers become texts, since ids often are some.
    fn text(&self, field: &'static str) -> Result<Option<Option<Text>>, String> {
        match self.get(field) {
            None => Ok(None),
            Some(Val::Null) => Ok(Some(None)),
            Some(number @ Val::Num(_)) => {
                Ok(Some(Some(String::from_utf8_lossy(&json::write(&Value(number.clone()))).into())))
            }
            Some(value) => {
                let text = Value(value.clone()).as_str().map(Text::from);
                text.map(|text| Some(Some(text))).ok_or_else(|| format!("`{field}` is no text"))
            }
        }
    }

    fn set(&self, field: &'static str, at: &mut Option<Text>) -> Result<(), String> {
        *at = self.text(field)?.unwrap_or_else(|| at.take());
        Ok(())
    }

    fn set_needed(&self, field: &'static str, at: &mut Text) -> Result<bool, String> {
        let Some(text) = self.text(field)? else { return Ok(false) };
        *at = text.ok_or_else(|| format!("`{field}` is null: leave it out to have that of the event"))?;
        Ok(true)
    }

    fn time(&self, field: &'static str) -> Result<Option<Option<Timestamp>>, String> {
        let wrong = |_| format!("`{field}` is no time such as 2026-11-02T03:04:05Z");
        self.text(field)?.map(|text| text.map(|text| text.parse().map_err(wrong)).transpose()).transpose()
    }
}

/// What the event gives, and over it what the result says.
fn message(event: &Event, said: &Said<'_>) -> Result<Message, String> {
    let mut event_type = event.event_type.clone();
    said.set_needed("event_type", &mut event_type)?;
    // The payload is looked at once the one of the result is there.
    let unlimited = Limits { payload_bytes: usize::MAX, ..Limits::default() };
    let given = as_it_is(event, &event_type).map_err(|wrong| wrong.to_string())?.limits(unlimited).build();
    let mut message = given.map_err(|invalid| invalid.to_string())?;
    let kind = said.set_needed("aggregate_type", &mut message.aggregate_type)?;
    if said.set_needed("aggregate_id", &mut message.aggregate_id)? | kind {
        message.key = Some(compact_str::format_compact!("{}/{}", message.aggregate_type, message.aggregate_id));
    }
    said.set("key", &mut message.key)?;
    said.set("tenant", &mut message.tenant)?;
    said.set("user", &mut message.user)?;
    said.set("correlation_id", &mut message.correlation_id)?;
    said.set(DESTINATION, &mut message.destination)?;
    message.occurred_at = said.time("occurred_at")?.flatten().unwrap_or(message.occurred_at);
    message.due_at = said.time("due_at")?.unwrap_or(message.due_at);
    if let Some(headers) = said.get(HEADERS) {
        message.headers = transform::headers(headers)?;
    }
    put_payload(said, &mut message)?;
    checked(message)
}

/// A payload is JSON unless the result says what else it is.
fn put_payload(said: &Said<'_>, message: &mut Message) -> Result<(), String> {
    if let Some(payload) = said.get(PAYLOAD) {
        let encoding = match said.get(PAYLOAD_ENCODING) {
            None => Encoding::Json,
            given => transform::encoding(given)?,
        };
        message.payload = transform::bytes(payload, encoding)?;
        message.content_type = transform::content_type(encoding).into();
    }
    said.set_needed(CONTENT_TYPE, &mut message.content_type)?;
    Ok(())
}

fn checked(message: Message) -> Result<Message, String> {
    Limits::default().check(&message).map_err(|invalid| invalid.to_string())?;
    Ok(message)
}
