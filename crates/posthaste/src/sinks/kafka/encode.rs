//! A message as Kafka wants it. `docs/sinks/kafka.md` lists what becomes of each field.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::FutureRecord;

use super::settings::Settings;
use crate::message::Message;
use crate::sink::format::{Dialect, Formatted};
use crate::sink::settings::Problem;
use crate::sink::template::{Field, Rule};
use crate::sink::{Delivery, Error, Run};

const DIALECT: Dialect = Dialect { cloudevents_prefix: "ce_", cloudevents_encoded: false, reserved: &[] };

/// The same in all records, so that places can be compared.
static PLACES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Of the topic's name, and of what else a topic is called by.
const MAX_TOPIC_BYTES: usize = 249;

/// One message, ready to be sent.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) topic: Cow<'a, str>,
    /// Stands for topic and key, and so for the partition it goes to.
    pub(super) place: u64,
    message: &'a Message,
    formatted: Formatted<'a>,
}

impl<'a> Record<'a> {
    fn of(settings: &'a Settings, run: &'a Run, delivery: &'a Delivery) -> Result<Self, Error> {
        let topic = settings.topic.render(&Topics, run, delivery)?;
        let formatted = settings.format.apply(DIALECT, run, delivery)?;
        let place = PLACES.hash_one((&topic, &delivery.message.key));
        Ok(Self { topic, place, message: &delivery.message, formatted })
    }

    /// As the client takes it.
    pub(super) fn native(&self) -> FutureRecord<'_, str, [u8]> {
        let content_type = [("content-type", self.formatted.content_type)];
        let pairs = content_type.into_iter().chain(self.formatted.all_headers());
        let headers = pairs.fold(OwnedHeaders::new_with_capacity(16), |headers, (name, value)| {
            headers.insert(Header { key: name, value: Some(value) })
        });
        FutureRecord {
            topic: &self.topic,
            partition: None,
            payload: Some(&self.formatted.body),
            key: self.message.key.as_deref(),
            timestamp: Some(self.message.occurred_at.as_millisecond()),
            headers: Some(headers),
        }
    }
}

/// The records of a run, up to the first message that cannot be one, and why it cannot.
pub(super) fn records<'a>(settings: &'a Settings, run: &'a Run) -> (Vec<Record<'a>>, Option<Error>) {
    let mut records = Vec::with_capacity(run.deliveries.len());
    for delivery in &run.deliveries {
        match Record::of(settings, run, delivery) {
            Ok(record) => records.push(record),
            Err(error) => return (records, Some(error)),
        }
    }
    (records, None)
}

/// Whether names can be made at all.
pub(super) fn check(settings: &Settings) -> Result<(), Problem> {
    settings.topic.check(&Topics).map_err(|why| Problem::new("topic", why))
}

/// Topics have a narrow alphabet and no way to write other letters in it. A dot is a letter like others to Kafka, but it separates
/// the parts of names that people make, so a message adds none, but for those of its event type, which are meant.
#[derive(Debug)]
struct Topics;

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-".contains(c)
}

impl Rule for Topics {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        let dots_are_meant = field == Field::EventType;
        match value.chars().find(|&c| !(is_plain(c) || dots_are_meant && c == '.')) {
            Some(c) => Err(format!("contains {c:?}, which cannot stand in a topic")),
            None => {
                name.push_str(value);
                Ok(())
            }
        }
    }

    fn name(&self, name: &str) -> Result<(), String> {
        let bad = name.chars().find(|&c| !is_plain(c) && c != '.');
        match (bad, name) {
            (Some(c), _) => Err(format!("contains {c:?}: a topic has letters, digits and . _ - only")),
            (None, "" | "." | "..") => Err("is no name of a topic".into()),
            (None, _) if name.len() > MAX_TOPIC_BYTES => {
                Err(format!("is {} bytes long: Kafka allows {MAX_TOPIC_BYTES}", name.len()))
            }
            (None, _) => Ok(()),
        }
    }
}
