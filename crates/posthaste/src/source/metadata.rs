//! What events say about themselves beside their data, by the names that are in use.

use serde_json::{Map, Value};

use super::{Event, Unmappable};
use crate::message::Builder;

/// The metadata of an event, a JSON object or nothing.
#[derive(Debug, Default)]
pub(super) struct Metadata(Map<String, Value>);

impl Metadata {
    pub(super) fn of(event: &Event) -> Result<Self, Unmappable> {
        if event.metadata.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(&event.metadata) {
            Ok(Value::Object(said)) => Ok(Self(said)),
            // The error would show a part of it.
            _ => Err(Unmappable::new("its metadata are no JSON object")),
        }
    }

    /// The first of these names that says something.
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| text(self.0.get(*name)?)).filter(|text| !text.is_empty())
    }

    /// Puts everything where a message has it.
    pub(super) fn put(&self, mut message: Builder, event: &Event) -> Builder {
        if let Some(correlation_id) = self.text(&["correlationId", "$correlationId"]) {
            message = message.correlation_id(correlation_id);
        }
        if let Some(tenant) = self.text(&["tenantId"]) {
            message = message.tenant(tenant);
        }
        if let Some(user) = self.text(&["userId"]) {
            message = message.user(user);
        }
        let occurred_at = self.text(&["occurredAt"]).and_then(|text| text.parse().ok()).or(event.recorded_at);
        if let Some(at) = occurred_at {
            message = message.occurred_at(at);
        }
        self.headers(event).into_iter().fold(message, |message, (name, value)| message.header(name, value))
    }

    fn headers(&self, event: &Event) -> Vec<(String, String)> {
        let mut headers = vec![("idempotencyKey".to_owned(), event.id.to_string())];
        let said = [("causationId", self.text(&["causationId", "$causationId"])), ("source", self.text(&["source"]))];
        headers.extend(said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let own = self.0.get("headers").and_then(Value::as_object);
        for (name, value) in own.into_iter().flatten() {
            if name != "idempotencyKey" {
                headers.extend(text(value).map(|value| (name.clone(), value)));
            }
        }
        headers
    }
}

/// A text as it is, anything else as JSON; nothing for null.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
