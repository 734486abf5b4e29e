//! Events as the server sends them, to events of the port.

use jiff::Timestamp;

use super::protocol::RecordedEvent;
use crate::source::{Checkpoint, Event};

/// The event, or nothing if it was deleted.
pub(super) fn event(recorded: Option<RecordedEvent>, checkpoint: Checkpoint) -> Option<Event> {
    let recorded = recorded?;
    let said = |name| recorded.metadata.get(name).map(String::as_str);
    let stream = recorded.stream_identifier.as_ref().map(|stream| stream.text()).unwrap_or_default();
    let id = recorded.id.as_ref().map(|id| id.text()).unwrap_or_default();
    let event = Event::new(checkpoint, stream, id, said("type").unwrap_or_default());
    let content_type = said("content-type").unwrap_or("application/octet-stream").to_owned();
    let created = said("created").and_then(created);
    let event = event.revision(recorded.stream_revision).metadata(recorded.custom_metadata.clone());
    let event = event.data(recorded.data.clone(), content_type);
    Some(match created {
        Some(at) => event.recorded_at(at),
        None => event,
    })
}

/// Decimal text of 100 ns ticks since 1970.
fn created(ticks: &str) -> Option<Timestamp> {
    Timestamp::from_nanosecond(ticks.parse::<i128>().ok()?.checked_mul(100)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_event_is_counted_in_tenths_of_a_microsecond() {
        assert_eq!(created("17000000000000000").map(|at| at.as_second()), Some(1_700_000_000));
        assert_eq!(created("soon"), None);
    }
}
