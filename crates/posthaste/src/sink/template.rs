//! Names that messages decide: streams, subjects, topics, routing keys, parts of URLs.
//!
//! ```
//! # use posthaste::sink::template::Template;
//! Template::parse("orders.{event_type}").unwrap();
//! Template::parse("{tenant|public}.{aggregate_type}").unwrap(); // `public` for a message without tenant
//! ```
//!
//! A message must not be able to reach a name that the template does not mean: to add a level to a subject, a wildcard, a
//! header, a part of a URL. So every field goes through the sink's [`Rule`], which encodes or refuses it; what is refused is a
//! reject that names the template and the field.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use crate::error::shown;
use crate::sink::{Delivery, Error, Run};

/// What of a message can stand in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The message's id.
    Id,
    /// The type of the event.
    EventType,
    /// The type of the aggregate.
    AggregateType,
    /// The id of the aggregate.
    AggregateId,
    /// The order key.
    Key,
    /// The tenant.
    Tenant,
    /// The user.
    User,
    /// The correlation id.
    CorrelationId,
    /// The name of the destination.
    Destination,
    /// The position in the journal.
    Position,
    /// The partition of the journal.
    Partition,
}

impl Field {
    pub(crate) const ALL: [(&'static str, Self); 11] = [
        ("id", Self::Id),
        ("event_type", Self::EventType),
        ("aggregate_type", Self::AggregateType),
        ("aggregate_id", Self::AggregateId),
        ("key", Self::Key),
        ("tenant", Self::Tenant),
        ("user", Self::User),
        ("correlation_id", Self::CorrelationId),
        ("destination", Self::Destination),
        ("position", Self::Position),
        ("partition", Self::Partition),
    ];

    fn named(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, field)| *field).ok_or_else(|| {
            let known = Self::ALL.map(|(known, _)| format!("{{{known}}}")).join(" ");
            format!("knows no {{{}}}: use {known}", shown(name))
        })
    }

    /// As it is written between braces.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, field)| *field == self).map_or("", |(name, _)| name)
    }

    /// What a delivery has there; `None` for what its message was not given.
    pub fn of<'a>(self, run: &'a Run, delivery: &'a Delivery) -> Option<Cow<'a, str>> {
        let message = &*delivery.message;
        let text = match self {
            Self::EventType => Some(&message.event_type),
            Self::AggregateType => Some(&message.aggregate_type),
            Self::AggregateId => Some(&message.aggregate_id),
            Self::Key => message.key.as_ref(),
            Self::Tenant => message.tenant.as_ref(),
            Self::User => message.user.as_ref(),
            Self::CorrelationId => message.correlation_id.as_ref(),
            Self::Destination => return Some(run.destination.as_str().into()),
            Self::Id => return Some(message.id.to_string().into()),
            Self::Position => return Some(delivery.position.to_string().into()),
            Self::Partition => return Some(run.partition.to_string().into()),
        };
        text.map(|text| text.as_str().into())
    }
}

/// What names look like at a destination. An `Err` says what is wrong, as in "contains a space".
pub trait Rule {
    /// Appends what a message has to the name, encoded where need be.
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String>;

    /// Looks at the finished name: its length, for one.
    fn name(&self, name: &str) -> Result<(), String>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Field { field: Field, or: Option<String> },
}

/// Text with fields in braces. A brace that is meant as such is doubled.
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    written: String,
    parts: Vec<Part>,
}

impl Template {
    /// Reads a template; what is wrong with it is said as a part of a sentence about it.
    pub fn parse(written: &str) -> Result<Self, String> {
        let (mut parts, mut rest) = (Vec::new(), written);
        while let Some(brace) = rest.find(['{', '}']) {
            text(&mut parts, &rest[..brace]);
            let (here, after) = rest[brace..].split_at(1);
            if let Some(after) = after.strip_prefix(here) {
                text(&mut parts, here);
                rest = after;
                continue;
            }
            let inside = after.split_once('}').filter(|_| here == "{");
            let (inside, after) = inside.ok_or("has a brace without its partner: write {{ or }} for a brace itself")?;
            parts.push(field(inside)?);
            rest = after;
        }
        text(&mut parts, rest);
        Ok(Self { written: written.to_owned(), parts })
    }

    /// The same name for all messages, whatever braces it has.
    pub fn literal(name: &str) -> Self {
        let mut parts = Vec::new();
        text(&mut parts, name);
        Self { written: name.replace('{', "{{").replace('}', "}}"), parts }
    }

    /// Nothing but one field.
    pub fn of(field: Field) -> Self {
        Self { written: format!("{{{}}}", field.name()), parts: vec![Part::Field { field, or: None }] }
    }

    /// The name, if it is the same for all messages.
    pub fn fixed(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The name for one delivery. An error is a reject.
    pub fn render<'a>(&'a self, rule: &impl Rule, run: &Run, delivery: &Delivery) -> Result<Cow<'a, str>, Error> {
        let refuse = |why: &dyn fmt::Display| Error::reject(format_args!("`{}` makes no name: {why}", self.written));
        let name = match self.parts.as_slice() {
            [Part::Text(text)] => Cow::Borrowed(text.as_str()),
            _ => Cow::Owned(self.fill(rule, |field| field.of(run, delivery)).map_err(|why| refuse(&why))?),
        };
        rule.name(&name).map_err(|why| refuse(&format_args!("it {why}")))?;
        Ok(name)
    }

    /// Whether the template can make names at all, with a message that has every field.
    pub fn check(&self, rule: &impl Rule) -> Result<(), String> {
        self.fill(rule, |_| Some("x".into())).and_then(|name| rule.name(&name))
    }

    fn fill<'a>(&self, rule: &impl Rule, value: impl Fn(Field) -> Option<Cow<'a, str>>) -> Result<String, String> {
        let mut name = String::with_capacity(64);
        for part in &self.parts {
            match part {
                Part::Text(text) => name.push_str(text),
                Part::Field { field, or } => match (value(*field), or) {
                    (Some(value), _) => rule
                        .field(*field, &value, &mut name)
                        .map_err(|why| format!("{{{}}} of this message {why}", field.name()))?,
                    (None, Some(or)) => name.push_str(or),
                    (None, None) => return Err(format!("this message has no {{{}}}", field.name())),
                },
            }
        }
        Ok(name)
    }
}

fn text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

fn field(inside: &str) -> Result<Part, String> {
    let (name, or) = inside.split_once('|').map_or((inside, None), |(name, or)| (name, Some(or.to_owned())));
    Ok(Part::Field { field: Field::named(name)?, or })
}

/// Writes every byte that is not `plain` as `%` and two digits; the `%` itself never is plain.
pub fn percent_encode(value: &str, plain: impl Fn(u8) -> bool, name: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte != b'%' && byte.is_ascii() && plain(byte) {
            name.push(byte.into());
        } else {
            let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
            name.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// The other way round; what is not encoded stays as it is.
pub fn percent_decode(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        // A sign is no digit, although numbers may have one.
        let digits = part.get(..2).filter(|digits| !digits.starts_with('+'));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => bytes.extend_from_slice(format!("%{part}").as_bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.written, f)
    }
}

impl FromStr for Template {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        Self::parse(written)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
