//! An expression that changes what a destination gets of a message: its payload and its headers. What is stored stays as it was.

use std::cell::OnceCell;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use bytes::Bytes;
use jaq_json::{Map, Val};

use super::document::{Encoding, HEADERS, PAYLOAD, PAYLOAD_ENCODING, document, name};
use super::value::Value;
use super::{Errors, Expression, Wrong, json};
use crate::message::{Headers, Limits, Message};

/// The longest payload that is made.
const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// A transformation of messages.
#[derive(Debug, Clone)]
pub struct Transform(Expression);

impl Transform {
    /// Compiles the text of a transformation.
    pub fn new(source: &str) -> Result<Self, Wrong> {
        Expression::new(source).map(Self)
    }

    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        self.0.source()
    }

    /// The message as the destination gets it. An error shows no value of the message.
    pub fn apply(&self, message: &Message) -> Result<Message, String> {
        self.apply_with(message, Errors::Discreet)
    }

    pub(crate) fn apply_with(&self, message: &Message, errors: Errors) -> Result<Message, String> {
        // Making the document is most of the work, so what the program began with is kept to compare with.
        let before = OnceCell::new();
        let input = || Ok(before.get_or_init(|| document(message)).clone());
        let changed = self.0.evaluate(errors, input, |results| match &results[..] {
            [Value(Val::Obj(after))] => changed(message, before.get(), after),
            [_] => Err("its result is no object: change `.payload` or `.headers` of the message".into()),
            [] => Err("it has no result: to leave messages out is what `filter` is for".into()),
            _ => Err("it has several results, and a message is one".into()),
        });
        changed.map_err(|why| format!("transform: {why}"))
    }
}

/// The message with the payload and the headers of the document, which may differ in nothing else.
fn changed(message: &Message, before: Option<&Value>, after: &Map) -> Result<Message, String> {
    let Some(Value(Val::Obj(before))) = before else { return Err("the message has no fields".into()) };
    let payload = after.get(&name(PAYLOAD)).ok_or("its result has no `payload`")?;
    refuse_other_changes(before, after)?;
    let mut changed = message.clone();
    if let Some(headers) = after.get(&name(HEADERS)) {
        changed.headers = self::headers(headers)?;
    }
    let encodings = [after, &**before].map(|fields| fields.get(&name(PAYLOAD_ENCODING)).cloned());
    if encodings[0].is_some() && encodings[0] != encodings[1] {
        changed.content_type = content_type(encoding(encodings[0].as_ref())?).into();
    }
    let used = encodings[0].as_ref().or(encodings[1].as_ref());
    if before.get(&name(PAYLOAD)) != Some(payload) || encodings[0] != encodings[1] {
        changed.payload = bytes(payload, encoding(used)?)?;
    }
    check(&changed)?;
    Ok(changed)
}

/// The names of the message's own fields are no secret; others may be.
fn refuse_other_changes(before: &Map, after: &Map) -> Result<(), String> {
    let other = after.iter().find(|(field, value)| !may_change(field) && before.get(*field) != Some(*value));
    let Some((field, _)) = other else { return Ok(()) };
    let what = match Value(field.clone()).as_str().filter(|_| before.contains_key(field)) {
        Some(field) => format!("changes `{field}`"),
        None => "adds a field".to_owned(),
    };
    Err(format!("it {what}: only `payload` and `headers` may change"))
}

fn may_change(field: &Val) -> bool {
    [PAYLOAD, PAYLOAD_ENCODING, HEADERS].into_iter().any(|may| *field == name(may))
}

pub(super) fn encoding(value: Option<&Val>) -> Result<Encoding, String> {
    let named = value.cloned().and_then(|value| Encoding::named(Value(value).as_str()?));
    named.ok_or_else(|| "`payload_encoding` is one of json, text and base64".into())
}

/// What a payload is called whose encoding was changed.
pub(super) fn content_type(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Json => "application/json",
        Encoding::Text => "text/plain; charset=utf-8",
        Encoding::Base64 => "application/octet-stream",
    }
}

pub(super) fn bytes(payload: &Val, encoding: Encoding) -> Result<Bytes, String> {
    let payload = Value(payload.clone());
    match (encoding, payload.as_str()) {
        (Encoding::Json, _) => Ok(json::write(&payload).into()),
        (Encoding::Text, Some(text)) => Ok(Bytes::copy_from_slice(text.as_bytes())),
        (Encoding::Base64, Some(text)) => {
            BASE64_STANDARD.decode(text).map(Bytes::from).map_err(|_| "the payload is no base64".into())
        }
        (encoding, None) => {
            let name = encoding.name();
            Err(format!(
                "the payload of this message is {name}, not JSON: say `.payload_encoding = \"json\"` with another one"
            ))
        }
    }
}

/// Values are texts, numbers or booleans; an array has a header several times; what is `null` is left out.
pub(super) fn headers(value: &Val) -> Result<Headers, String> {
    let Val::Obj(fields) = value else { return Err("`headers` is no object".into()) };
    let mut headers = Headers::default();
    for (header, value) in fields.iter() {
        let header = Value(header.clone());
        let Some(header) = header.as_str() else { continue };
        match value {
            Val::Arr(values) => values.iter().try_for_each(|value| add(&mut headers, header, value))?,
            value => add(&mut headers, header, value)?,
        }
    }
    Ok(headers)
}

fn add(headers: &mut Headers, header: &str, value: &Val) -> Result<(), String> {
    match value {
        Val::Null => {}
        Val::TStr(text) => headers.push(header, String::from_utf8_lossy(text)),
        Val::Num(_) | Val::Bool(_) => {
            headers.push(header, String::from_utf8_lossy(&json::write(&Value(value.clone()))));
        }
        _ => return Err("the value of a header is neither text nor number nor boolean".into()),
    }
    Ok(())
}

/// What was made has to be fit to be sent.
fn check(message: &Message) -> Result<(), String> {
    let limits = Limits { payload_bytes: MAX_PAYLOAD_BYTES, ..Limits::default() };
    limits.check(message).map_err(|invalid| invalid.to_string())
}
