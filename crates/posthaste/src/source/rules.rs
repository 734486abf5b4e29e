//! A mapper made of plain rules, as the program's config has them.
//!
//! The first rule whose pattern the event's type matches makes its messages, one for each destination it names, or one that goes where the
//! routes say. Whatever matches no rule is ignored. The payload is the event's data as it is, unless the rule makes another of it.

use std::collections::BTreeMap;

pub use self::payload::Payload;
use super::metadata::Metadata;
use super::{Event, Given, Mapper, Unmappable};
use crate::message::{Builder, Message, MessageId};
use crate::rules::route::matches;

mod payload;

/// What is made of events of some type.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// The event types that it is for; `*` stands for any text.
    pub r#type: String,
    /// The event type of the message; that of the event unless given.
    pub event_type: Option<String>,
    /// The destinations that get it, and no others; without them the routes decide.
    pub destinations: Vec<String>,
    /// The ordering scope: a text in which `{stream}`, `{type}` and `{id}` stand for those of the event. The stream unless given.
    pub key: Option<String>,
    /// The tenant, with the same placeholders. That of the event's metadata unless given.
    pub tenant: Option<String>,
    /// Headers beside those of the event's metadata, with the same placeholders.
    pub headers: BTreeMap<String, String>,
    /// What is made of the event's data; the data as it is unless given.
    pub payload: Option<Payload>,
}

impl Rule {
    /// Events of these types as they are.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { r#type: pattern.into(), ..Self::default() }
    }

    /// Only to this destination, beside those named before.
    #[must_use]
    pub fn destination(mut self, name: impl Into<String>) -> Self {
        self.destinations.push(name.into());
        self
    }
}

/// Rules, of which the first that matches decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Without any rule every event is taken as it is.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let rules: Vec<Rule> = rules.into_iter().collect();
        if rules.is_empty() { Self(vec![Rule::new("*")]) } else { Self(rules) }
    }
}

impl Mapper for Rules {
    fn map(&self, event: &Event) -> Result<Vec<Message>, Unmappable> {
        let Some(rule) = self.0.iter().find(|rule| matches(&rule.r#type, &event.event_type)) else {
            return Ok(Vec::new());
        };
        let message = message(rule, event)?;
        if rule.destinations.is_empty() {
            return Ok(vec![message.build()?]);
        }
        // Each is a message, with an id of its own.
        let to = |name: &String| Ok(message.clone().id(MessageId::generate()).destination(name.as_str()).build()?);
        rule.destinations.iter().map(to).collect()
    }
}

fn message(rule: &Rule, event: &Event) -> Result<Builder, Unmappable> {
    let filled = |text: &str| {
        text.replace("{stream}", &event.stream).replace("{type}", &event.event_type).replace("{id}", &event.id)
    };
    let mut message = as_it_is(event, rule.event_type.as_deref().unwrap_or(&event.event_type))?;
    if let Some(key) = &rule.key {
        message = message.key(filled(key));
    }
    if let Some(tenant) = &rule.tenant {
        message = message.tenant(filled(tenant));
    }
    if let Some(payload) = &rule.payload {
        message = message.payload(payload.of(event).map_err(Unmappable::new)?, "application/json");
    }
    Ok(rule.headers.iter().fold(message, |message, (name, value)| message.header(name, filled(value))))
}

/// A message of the event as it is, with what the log and its metadata say.
pub(crate) fn as_it_is(event: &Event, event_type: &str) -> Result<Builder, Unmappable> {
    let given = event.given.as_deref();
    let message = match given.and_then(|given| given.aggregate.as_ref()) {
        Some((kind, id)) => Message::builder(event_type, kind.as_str(), id.as_str()),
        None => {
            // As servers of this kind name streams: the kind of thing, a dash, which one.
            let (kind, id) = event.stream.split_once('-').unwrap_or(("stream", &event.stream));
            Message::builder(event_type, kind, id).key(event.stream.as_str())
        }
    };
    let message = given.into_iter().fold(message, |message, given| put(given, message));
    let message = message.payload(event.data.clone(), event.content_type.as_str());
    Ok(Metadata::of(event)?.put(message, event))
}

fn put(given: &Given, message: Builder) -> Builder {
    let message = given.key.iter().fold(message, |message, key| message.key(key.as_str()));
    let message = given.destination.iter().fold(message, |message, name| message.destination(name.as_str()));
    given.due_at.into_iter().fold(message, Builder::due_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Checkpoint;

    fn event(metadata: &str) -> Event {
        let checkpoint = Checkpoint::new("1").unwrap();
        Event::new(checkpoint, "payment-7", "e-1", "payment.completed.v1")
            .data(r#"{"amount":5}"#, "application/json")
            .metadata(metadata.to_owned())
    }

    const METADATA: &str = r#"{"$correlationId":"c-1","causationId":"e-0","tenantId":"acme","userId":"ann","source":"shop",
        "occurredAt":"2026-11-02T03:04:05Z","headers":{"channel":"web","retries":2}}"#;

    #[test]
    fn an_event_becomes_a_message_for_each_destination_with_what_its_metadata_says() {
        let rule = Rule::new("payment.*").destination("kafka:payments").destination("webhook:partnerX");
        let made = Rules::new([rule]).map(&event(METADATA)).unwrap();
        let to: Vec<_> = made.iter().filter_map(|message| message.destination.as_deref()).collect();
        assert_eq!(to, ["kafka:payments", "webhook:partnerX"]);
        let first = &made[0];
        assert_eq!((first.tenant.as_deref(), first.user.as_deref()), (Some("acme"), Some("ann")));
        assert_eq!(first.correlation_id.as_deref(), Some("c-1"));
        assert_eq!((first.key.as_deref(), first.aggregate_id.as_str()), (Some("payment-7"), "7"));
        assert_eq!(first.occurred_at.to_string(), "2026-11-02T03:04:05Z");
        let header = |name| first.headers.get(name);
        assert_eq!((header("channel"), header("retries")), (Some("web"), Some("2")));
        assert_eq!((header("idempotencyKey"), header("source")), (Some("e-1"), Some("shop")));
        assert_eq!(first.payload.as_ref(), br#"{"amount":5}"#);
    }

    #[test]
    fn the_first_rule_that_matches_decides_and_what_matches_none_is_ignored() {
        let mut renamed = Rule::new("payment.completed.v1");
        (renamed.event_type, renamed.key) = (Some("paid".into()), Some("{type}/{id}".into()));
        let rules = Rules::new([renamed, Rule::new("*")]);
        let made = rules.map(&event("")).unwrap();
        assert_eq!((made[0].event_type.as_str(), made[0].key.as_deref()), ("paid", Some("payment.completed.v1/e-1")));
        assert_eq!(Rules::new([Rule::new("order.*")]).map(&event("")), Ok(Vec::new()));
        assert_eq!(Rules::new([]).map(&event("")).unwrap().len(), 1, "without rules everything is taken");
    }

    #[test]
    fn metadata_that_is_no_json_object_is_said_without_showing_it() {
        let wrong = Rules::new([]).map(&event("secret stuff")).unwrap_err().to_string();
        assert!(wrong.contains("metadata") && !wrong.contains("secret"), "{wrong}");
    }
}
