//! Messages as they would be.

use jiff::Timestamp;
use posthaste::Message;
use posthaste::source::rules::Rules;
use posthaste::source::{Event, Mapper as _};
use serde::Serialize;

use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{Output, count, plain, when};

/// How much of a payload is shown.
const SHOWN: usize = 48;

/// A message as it would be, or why it would not.
#[derive(Default, Serialize)]
pub(super) struct Shown {
    event: String,
    event_type: String,
    aggregate_type: Option<String>,
    aggregate_id: Option<String>,
    key: Option<String>,
    tenant: Option<String>,
    destination: Option<String>,
    occurred_at: Option<Timestamp>,
    due_at: Option<Timestamp>,
    payload: Option<String>,
    error: Option<String>,
}

impl Shown {
    /// Of a row.
    pub(super) fn of(event: &Event) -> Self {
        let (id, event_type) = (event.id.to_string(), event.event_type.to_string());
        match Rules::new([]).map(event).map(|messages| messages.into_iter().next()) {
            Ok(Some(message)) => Self { event: id, ..Self::of_message(message, None) },
            Ok(None) => Self { event: id, event_type, ..Self::default() },
            Err(wrong) => Self { event: id, event_type, error: Some(wrong.to_string()), ..Self::default() },
        }
    }

    /// A message, and why it would be refused.
    pub(super) fn of_message(message: Message, error: Option<String>) -> Self {
        Self {
            event: message.id.to_string(),
            event_type: message.event_type.to_string(),
            aggregate_type: Some(message.aggregate_type.to_string()),
            aggregate_id: Some(message.aggregate_id.to_string()),
            key: message.key.map(Into::into),
            tenant: message.tenant.map(Into::into),
            destination: message.destination.map(Into::into),
            occurred_at: Some(message.occurred_at),
            due_at: message.due_at,
            payload: Some(String::from_utf8_lossy(&message.payload).into_owned()),
            error,
        }
    }
}

/// With a line about where they come from.
pub(super) fn list(output: Output, shown: &[Shown], what: &str, is_pending: bool) -> anyhow::Result<()> {
    let which = if is_pending { "pending" } else { "taken already" };
    output.line(format_args!("{} of {what} that are {which}:", count(shown.len() as u64, "message")))?;
    output.table(&table(shown))?;
    Ok(())
}

fn table(shown: &[Shown]) -> Table {
    let mut table = Table::new(["EVENT", "EVENT TYPE", "KEY", "TENANT", "DESTINATION", "OCCURRED", "PAYLOAD"]);
    let optional = |text: &Option<String>| Field::from(text.as_deref().unwrap_or("-"));
    for one in shown {
        let payload = match &one.error {
            Some(error) => Field::from(plain::cut(error, SHOWN)).hue(Hue::Bad),
            None => Field::from(plain::cut(one.payload.as_deref().unwrap_or_default(), SHOWN)),
        };
        table.row([
            Field::from(plain::cut(&one.event, 36)),
            Field::from(&one.event_type),
            optional(&one.key),
            optional(&one.tenant),
            optional(&one.destination),
            Field::from(one.occurred_at.map_or_else(|| "-".to_owned(), when::at)),
            payload,
        ]);
    }
    table
}
