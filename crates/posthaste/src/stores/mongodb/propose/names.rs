//! Which field of a document is which, and what its statuses are called, by the names that people use.

use super::super::options::{Field, Fields, StatusNames};
use super::FoundField;

/// The first that is there is taken; the name of our own comes before all of them.
fn others(field: Field) -> &'static [&'static str] {
    match field {
        Field::Id => &["messageId", "uuid"],
        Field::EventType => &["type", "eventName", "messageType", "name"],
        Field::AggregateType => &["aggregate", "entityType", "entity", "streamType"],
        Field::AggregateId => &["entityId", "streamId", "aggregateRootId"],
        Field::Key => &["partitionKey", "orderingKey", "messageKey"],
        Field::Payload => &["data", "body", "content", "eventData", "message"],
        Field::ContentType => &["mimeType", "mediaType"],
        Field::Headers => &["messageHeaders"],
        Field::Tenant => &["tenantId"],
        Field::User => &["user", "actorId"],
        Field::CorrelationId => &["traceId"],
        Field::OccurredAt => &["occurredOn", "createdAt", "created", "timestamp", "insertedAt"],
        Field::DueAt => &["availableAt", "scheduledAt", "notBefore", "sendAfter"],
        Field::Destination => &["integrationType", "target"],
        Field::MaxAttempts => &["maxRetries"],
        Field::SourceStream => &["sourceStreamId"],
        Field::SourceEvent => &["sourceEventId"],
        Field::RecordedAt => &[],
        Field::Status => &["state"],
        Field::PublishedAt => &["sentAt", "deliveredAt", "dispatchedAt"],
        Field::RetryCount => &["attempts", "retries", "attemptCount"],
        Field::LastError => &["error", "errorMessage", "failureReason"],
        Field::ProcessedAt => &["processedOn", "handledAt", "completedAt"],
    }
}

/// What the fields are called in documents with these names, and which of them are there.
pub(super) fn fields(names: &[String]) -> (Fields, Vec<FoundField>) {
    let (mut fields, mut found) = (Fields::default(), Vec::<FoundField>::new());
    for (field, part, name) in fields.each() {
        let candidates = std::iter::once(name.as_str()).chain(others(field).iter().copied());
        let free = |candidate: &str| {
            let free = names.iter().filter(|name| !found.iter().any(|taken| taken.name == **name));
            let mut same = free.filter(|name| plain(name) == plain(candidate));
            same.next().cloned()
        };
        let Some(there) = candidates.into_iter().find_map(free) else { continue };
        let is_usual = *name == there;
        name.clone_from(&there);
        found.push(FoundField { part, name: there, is_usual });
    }
    (fields, found)
}

/// What three statuses are called where these are in use, and those that are none of the three.
pub(super) fn statuses(used: &[String]) -> (StatusNames, Vec<String>) {
    const PENDING: &[&str] = &["pending", "new", "created", "ready", "queued", "unsent", "unpublished"];
    const PUBLISHED: &[&str] =
        &["published", "sent", "processed", "delivered", "done", "completed", "dispatched", "success"];
    const FAILED: &[&str] = &["failed", "dead", "error", "rejected"];
    let in_capitals = !used.is_empty() && used.iter().all(|name| *name == name.to_uppercase());
    let name = |known: &[&str]| {
        let there = known.iter().find_map(|known| used.iter().find(|used| used.eq_ignore_ascii_case(known)));
        there.cloned().unwrap_or_else(|| if in_capitals { known[0].to_uppercase() } else { known[0].to_owned() })
    };
    let names = StatusNames::new(name(PENDING), name(PUBLISHED), name(FAILED));
    let three = [&names.pending, &names.published, &names.failed];
    let other = used.iter().filter(|used| !three.contains(used)).cloned().collect();
    (names, other)
}

/// Whatever its case and its underscores.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn fields_are_recognised_by_the_names_that_people_use() {
        let names = ["event_type", "aggregate_id", "data", "state", "created_at", "processed_at", "attempts", "note"];
        let (fields, found) = fields(&texts(&names));
        assert_eq!((fields.event_type.as_str(), fields.payload.as_str()), ("event_type", "data"));
        assert_eq!((fields.status.as_str(), fields.occurred_at.as_str()), ("state", "created_at"));
        assert_eq!((fields.retry_count.as_str(), fields.tenant.as_str()), ("attempts", "tenant"), "or as usual");
        assert_eq!(found.len(), 7, "the note is nobody's: {found:?}");
    }

    #[test]
    fn one_field_is_taken_for_one_thing() {
        let (fields, found) = fields(&texts(&["type", "name", "event", "payload"]));
        assert_eq!((fields.event_type.as_str(), found.len()), ("type", 2));
    }

    #[test]
    fn statuses_are_recognised_and_the_missing_ones_are_written_alike() {
        let (names, other) = statuses(&texts(&["NEW", "SENT", "CLAIMED"]));
        assert_eq!(names, StatusNames::new("NEW", "SENT", "FAILED"));
        assert_eq!(other, ["CLAIMED"]);
        assert_eq!(statuses(&[]), (StatusNames::default(), Vec::new()));
    }
}
