//! What a template can name: the fields of the message as they are called everywhere, its headers, and its payload.

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use minijinja::value::{Serde, Value};

use crate::message::Message;
use crate::sink::format::embed::claims_json;
use crate::sink::template::Field;
use crate::sink::{Delivery, Run};

/// What the templates of a sink see of one message.
pub(crate) struct Context {
    value: Value,
    /// The payload, if it is JSON.
    payload: Option<serde_json::Value>,
    /// Why there is no payload although it claims to be JSON.
    pub(super) unreadable: Option<String>,
}

impl Context {
    /// A payload that is neither JSON nor text can be named only as `payload_base64()`.
    pub(crate) fn of(run: &Run, delivery: &Delivery) -> Self {
        let message = &*delivery.message;
        let (payload, unreadable) = payload(message);
        let mut fields: BTreeMap<&'static str, Value> = BTreeMap::new();
        for (name, field) in Field::ALL {
            if let Some(text) = field.of(run, delivery) {
                fields.insert(name, Value::from(text.into_owned()));
            }
        }
        let headers: Vec<(&str, &str)> = message.headers.iter().collect();
        // Where a name is repeated, the first one counts, as everywhere.
        let by_name: BTreeMap<&str, &str> = headers.iter().rev().copied().collect();
        fields.insert("headers", Value::from(Serde(by_name)));
        fields.insert("header_pairs", Value::from(Serde(headers)));
        fields.insert("occurred_at", Value::from(message.occurred_at.to_string()));
        fields.insert("attempt", Value::from(delivery.attempt));
        let text = std::str::from_utf8(&message.payload).ok().filter(|_| unreadable.is_none());
        let shown = payload.as_ref().map(|payload| Value::from(Serde(payload))).or_else(|| text.map(Value::from));
        fields.extend(shown.map(|shown| ("payload", shown)));
        let bytes = message.payload.clone();
        fields.insert("payload_base64", Value::from_function(move || BASE64_STANDARD.encode(&bytes)));
        Self { value: Value::from(fields), payload, unreadable }
    }

    /// One more field, made by the sink. It takes the place of any other of its name.
    #[cfg(feature = "sms")]
    pub(crate) fn with(&self, name: &'static str, text: &str) -> Self {
        let more = BTreeMap::from([(name, Value::from(text))]);
        let value = minijinja::value::merge_maps([Value::from(more), self.value.clone()]);
        Self { value, payload: self.payload.clone(), unreadable: self.unreadable.clone() }
    }

    pub(super) fn value(&self) -> Value {
        self.value.clone()
    }

    /// What stands in the payload at a path such as `files` or `invoice.files`.
    #[cfg(feature = "email")]
    pub(crate) fn at(&self, path: &str) -> Option<&serde_json::Value> {
        path.split('.').try_fold(self.payload.as_ref()?, |value, name| value.get(name))
    }
}

/// The payload without what is `null` in it, which a template treats as missing; or why it cannot be read.
fn payload(message: &Message) -> (Option<serde_json::Value>, Option<String>) {
    if !claims_json(&message.content_type) {
        return (None, None);
    }
    match serde_json::from_slice(&message.payload) {
        Ok(mut payload) => {
            without_nulls(&mut payload);
            (Some(payload), None)
        }
        // Only the place: what the parser found there is the payload's.
        Err(error) => (None, Some(format!("line {}, column {}", error.line(), error.column()))),
    }
}

fn without_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
