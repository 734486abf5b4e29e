//! What happened, as a plain struct.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::message::{Builder, Invalid, Message};
use crate::sink::Error;

/// Something that happened to an aggregate. Derive it: see [`#[derive(DomainEvent)]`](macro@crate::domain::DomainEvent).
pub trait DomainEvent: Serialize {
    /// With its version, such as `customer.created.v1`: whoever reads it later knows what to expect.
    const EVENT_TYPE: &'static str;
    /// The type of the aggregate that it happened to.
    const AGGREGATE_TYPE: &'static str;

    /// The id of the aggregate that it happened to.
    fn aggregate_id(&self) -> String;

    /// Adds what the event knows beside its payload: another order key, tenant, user, correlation id, headers.
    fn describe(&self, message: Builder) -> Builder {
        message
    }

    /// The message: the event as JSON, and what describes it. Made anew by each call, with an id of its own.
    fn to_message(&self) -> Result<Message, Invalid> {
        let message = Message::builder(Self::EVENT_TYPE, Self::AGGREGATE_TYPE, self.aggregate_id());
        self.describe(message.json(self)).build()
    }
}

/// The event in a message. What cannot be read is rejected, because it will not become readable; the error says where it is
/// wrong and shows nothing of it.
pub fn decode<E: DomainEvent + DeserializeOwned>(message: &Message) -> Result<E, Error> {
    serde_json::from_slice(&message.payload).map_err(|error| {
        let what = match error.classify() {
            Category::Data => "a field is missing or of another type",
            Category::Eof => "it ends too early",
            Category::Io | Category::Syntax => "it is no JSON",
        };
        let (event, line, column) = (E::EVENT_TYPE, error.line(), error.column());
        Error::reject(format_args!("the payload is no {event}: {what} (line {line}, column {column})"))
    })
}
