//! A message as RabbitMQ wants it. `docs/sinks/rabbitmq.md` lists what becomes of each field.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use bytes::Bytes;
use lapin::BasicProperties;
use lapin::options::BasicPublishOptions;
use lapin::types::{AMQPValue, FieldArray, FieldTable, ShortString};

use super::settings::Settings;
use crate::sink::format::{Dialect, Formatted};
use crate::sink::settings::Problem;
use crate::sink::template::{Field, Rule, percent_encode};
use crate::sink::{Delivery, Error, Run};

const DIALECT: Dialect = Dialect {
    cloudevents_prefix: "cloudEvents:",
    cloudevents_encoded: false,
    // By these the broker would route to wherever the message says.
    reserved: &["CC", "BCC"],
};

/// Properties go into one frame, which is 128 KiB unless the broker was told otherwise.
const MAX_HEADER_BYTES: usize = 100_000;

/// Of messages that outlive the broker's restart.
const PERSISTENT: u8 = 2;

/// An exchange and a routing key.
pub(super) type Route = (ShortString, ShortString);

/// One message, ready to be published.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) route: Route,
    pub(super) id: ShortString,
    pub(super) properties: BasicProperties,
    pub(super) body: Bytes,
    pub(super) options: BasicPublishOptions,
}

impl Publication {
    pub(super) fn exchange(&self) -> &str {
        self.route.0.as_str()
    }

    pub(super) fn routing_key(&self) -> &str {
        self.route.1.as_str()
    }

    fn of(settings: &Settings, run: &Run, delivery: &Delivery) -> Result<Self, Error> {
        let exchange = settings.exchange.render(&Names, run, delivery)?;
        let routing_key = settings.routing_key.render(&Names, run, delivery)?;
        let formatted = settings.format.apply(DIALECT, run, delivery)?;
        let id = short("id", &delivery.message.id.to_string())?;
        Ok(Self {
            route: (short("exchange", &exchange)?, short("routing key", &routing_key)?),
            properties: properties(settings, &id, delivery, &formatted)?,
            id,
            options: BasicPublishOptions { mandatory: settings.mandatory, immediate: false },
            body: formatted.body,
        })
    }
}

/// The publications of a run, up to the first message that cannot be one, and why it cannot.
pub(super) fn publications(settings: &Settings, run: &Run) -> (Vec<Publication>, Option<Error>) {
    let mut publications = Vec::with_capacity(run.deliveries.len());
    for delivery in &run.deliveries {
        match Publication::of(settings, run, delivery) {
            Ok(publication) => publications.push(publication),
            Err(error) => return (publications, Some(error)),
        }
    }
    (publications, None)
}

/// Whether names can be made at all.
pub(super) fn check(settings: &Settings) -> Result<(), Problem> {
    settings.exchange.check(&Names).map_err(|why| Problem::new("exchange", why))?;
    settings.routing_key.check(&Names).map_err(|why| Problem::new("routing_key", why))
}

fn properties(
    settings: &Settings,
    id: &ShortString,
    delivery: &Delivery,
    formatted: &Formatted<'_>,
) -> Result<BasicProperties, Error> {
    let message = &*delivery.message;
    let mut properties = BasicProperties::default()
        .with_message_id(id.clone())
        .with_type(short("event_type", &message.event_type)?)
        .with_content_type(short("content_type", formatted.content_type)?)
        .with_headers(headers(formatted)?);
    if settings.persistent {
        properties = properties.with_delivery_mode(PERSISTENT);
    }
    if let Some(correlation_id) = &message.correlation_id {
        properties = properties.with_correlation_id(short("correlation_id", correlation_id)?);
    }
    // Whole seconds since 1970 is all there is room for; the headers have the rest.
    if let Ok(seconds) = u64::try_from(message.occurred_at.as_second()) {
        properties = properties.with_timestamp(seconds);
    }
    Ok(properties)
}

/// A table has no order and no repeats: several values of one name become an array.
fn headers(formatted: &Formatted<'_>) -> Result<FieldTable, Error> {
    let mut table: BTreeMap<ShortString, AMQPValue> = BTreeMap::new();
    let mut bytes = 0;
    for (name, value) in formatted.all_headers() {
        bytes += name.len() + value.len();
        let value = AMQPValue::LongString(value.into());
        match table.entry(short("header name", name)?) {
            Entry::Vacant(vacant) => drop(vacant.insert(value)),
            Entry::Occupied(mut before) => match before.get_mut() {
                AMQPValue::FieldArray(values) => values.push(value),
                single => *single = AMQPValue::FieldArray(FieldArray::from(vec![single.clone(), value])),
            },
        }
    }
    if bytes > MAX_HEADER_BYTES {
        return Err(Error::reject(format_args!("headers take {bytes} bytes: more than {MAX_HEADER_BYTES} do not fit")));
    }
    Ok(table.into())
}

fn short(what: &str, text: &str) -> Result<ShortString, Error> {
    ShortString::try_new(text)
        .map_err(|_| Error::reject(format_args!("{what} is {} bytes long: AMQP allows 255", text.len())))
}

/// Exchanges and routing keys. Dots separate the words of a routing key, `*` and `#` stand for words in bindings: a message adds
/// none of them to a name, but for the dots of its event type, which are meant.
#[derive(Debug)]
struct Names;

impl Rule for Names {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        let word = |byte: u8| byte.is_ascii_graphic() && !b".*#".contains(&byte);
        percent_encode(value, |byte| word(byte) || (byte == b'.' && field == Field::EventType), name);
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        if name.len() > 255 {
            return Err(format!("is {} bytes long: AMQP allows 255", name.len()));
        }
        Ok(())
    }
}
