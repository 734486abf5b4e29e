//! From a row to an event.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::layout::{Layout, Part};
use crate::message::Text;
use crate::source::{Checkpoint, Event, Given};

/// The columns of a row, in the order of [`Layout::parts`]. `None` is `NULL`.
pub(super) type Row = Vec<Option<Vec<u8>>>;

/// What every event of a table has.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) stream: Text,
    pub(super) table: Text,
    pub(super) content_type: Text,
}

/// The event of a row. Its checkpoint is the id of the row, which the table itself keeps the state of.
pub(super) fn event(layout: &Layout, template: &Template, row: Row) -> Result<Event, String> {
    let mut row = Parts { layout, row };
    let id = row.text(Part::Id).ok_or_else(|| format!("a row has no `{}`", layout.id().name))?;
    let checkpoint = Checkpoint::new(id.clone())?;
    let stream = row.text(Part::Stream);
    let has_stream = stream.is_some();
    let event_id = row.text(Part::Event).unwrap_or_else(|| id.clone());
    let event_type = row.text(Part::EventType).unwrap_or_default();
    let given = given(&mut row, template, &id, has_stream);
    let metadata = metadata(&mut row);
    let occurred_at = row.time(Part::OccurredAt);
    let payload = row.take(Part::Payload).unwrap_or_else(|| b"null".to_vec());
    let mut event = Event::new(checkpoint, stream.unwrap_or_else(|| template.stream.clone()), event_id, event_type)
        .data(payload, template.content_type.clone())
        .metadata(metadata)
        .given(given);
    event.recorded_at = occurred_at;
    Ok(event)
}

fn given(row: &mut Parts<'_>, template: &Template, id: &Text, has_stream: bool) -> Given {
    let aggregate = match (row.text(Part::AggregateType), row.text(Part::AggregateId)) {
        // The stream says it.
        (None, None) if has_stream => None,
        // Without an aggregate, rows are in no order among each other.
        (kind, which) => Some((kind.unwrap_or_else(|| template.table.clone()), which.unwrap_or_else(|| id.clone()))),
    };
    Given {
        aggregate,
        key: row.text(Part::Key),
        destination: row.text(Part::Destination),
        due_at: row.time(Part::DueAt),
    }
}

/// What the columns say, in the words of metadata.
fn metadata(row: &mut Parts<'_>) -> Bytes {
    let mut said = Map::new();
    for (part, name) in [(Part::CorrelationId, "correlationId"), (Part::Tenant, "tenantId"), (Part::User, "userId")] {
        said.extend(row.text(part).map(|text| (name.to_owned(), Value::from(text.as_str()))));
    }
    let headers = row.take(Part::Headers).and_then(|json| serde_json::from_slice(&json).ok());
    said.extend(headers.filter(Value::is_object).map(|headers| ("headers".to_owned(), headers)));
    if said.is_empty() { Bytes::new() } else { Value::Object(said).to_string().into() }
}

/// A row that is being taken apart.
struct Parts<'a> {
    layout: &'a Layout,
    row: Row,
}

impl Parts<'_> {
    fn take(&mut self, part: Part) -> Option<Vec<u8>> {
        let at = self.layout.parts.iter().position(|(known, _)| *known == part)?;
        self.row.get_mut(at)?.take()
    }

    /// Nothing where the text is empty.
    fn text(&mut self, part: Part) -> Option<Text> {
        let bytes = self.take(part).filter(|bytes| !bytes.is_empty())?;
        Some(String::from_utf8_lossy(&bytes).into())
    }

    fn time(&mut self, part: Part) -> Option<Timestamp> {
        self.text(part).and_then(|text| time(&text))
    }
}

/// A time as databases and programs write it: with or without a zone, which is UTC then, or as a number since 1970.
fn time(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<i64>() {
        return match number.unsigned_abs() {
            0..100_000_000_000 => Timestamp::from_second(number),
            100_000_000_000..100_000_000_000_000 => Timestamp::from_millisecond(number),
            _ => Timestamp::from_microsecond(number),
        }
        .ok();
    }
    text.parse().ok().or_else(|| format!("{text}Z").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_understood_as_databases_write_them() {
        for written in [
            "2026-11-02T03:04:05Z",
            "2026-11-02 03:04:05+00",
            "2026-11-02 04:04:05+01:00",
            "2026-11-02 03:04:05",
            "2026-11-02T03:04:05.000",
            "1793588645",
            "1793588645000",
            "1793588645000000",
        ] {
            assert_eq!(time(written).map(|at| at.to_string()).as_deref(), Some("2026-11-02T03:04:05Z"), "{written}");
        }
        assert_eq!(time("yesterday"), None);
    }
}
