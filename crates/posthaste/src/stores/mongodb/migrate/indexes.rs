//! The indexes of the journal. Their names say what they are for; `check` tells which are missing.

use std::time::Duration;

use mongodb::IndexModel;
use mongodb::bson::{Document, doc};
use mongodb::options::IndexOptions;

use crate::stores::mongodb::options::Options;

/// How long a resume token that nobody advances is kept: far longer than any oplog.
const TOKEN_DAYS: u64 = 30;

/// How long a key that somebody locked is remembered: far longer than any transaction.
const KEY_REMEMBERED: Duration = Duration::from_secs(24 * 3_600);

/// A worker that ended without a word is shown for this long.
const SHOWN_AFTER_END: Duration = Duration::from_secs(24 * 3_600);

/// Indexes of earlier releases that others have taken the place of. Relays of such a release go on without them.
pub(super) const REPLACED: [(&str, &str); 2] =
    [("outbox_parked", "outbox_parked_due"), ("outbox_parked", "outbox_parked_head")];

/// Every index with its collection.
pub(in crate::stores::mongodb) fn indexes(options: &Options) -> Vec<(String, IndexModel)> {
    let mut all = of_messages(options);
    all.extend(of_deliveries());
    all.extend(that_expire());
    all
}

/// The indexes of the collection that applications write to.
fn of_messages(options: &Options) -> Vec<(String, IndexModel)> {
    let (fields, events) = (&options.fields, options.collection.as_str());
    let placed = doc! { "posthaste.seq": { "$gt": 0i64 } };
    vec![
        // What has no place yet, in the order of writing; and reading on.
        index(
            events,
            "outbox_journal",
            doc! { "posthaste.seq": 1, &fields.recorded_at: 1, "posthaste.partition": 1 },
            None,
        ),
        // A held key that catches up, and whoever looks a key up.
        index(events, "outbox_key", doc! { "posthaste.key": 1, &fields.tenant: 1, "posthaste.seq": 1 }, Some(placed)),
        index(events, "outbox_aggregate", doc! { &fields.aggregate_id: 1 }, None),
        // For people; nothing here reads it.
        index(events, "outbox_status", doc! { &fields.status: 1, &fields.occurred_at: 1 }, None),
        index(events, "outbox_id", doc! { "posthaste.id": 1 }, Some(doc! { "posthaste.id": { "$exists": true } })),
        index(events, "outbox_restamp", doc! { "posthaste.restamp": 1 }, Some(doc! { "posthaste.restamp": true })),
        unique(index(
            events,
            "outbox_source",
            doc! { &fields.source_stream: 1, &fields.source_event: 1, &fields.destination: 1 },
            Some(doc! { &fields.source_stream: { "$exists": true } }),
        )),
    ]
}

/// The indexes of what lanes record.
fn of_deliveries() -> [(String, IndexModel); 8] {
    [
        // With the partition before the time, a worker never looks at what is due in the lanes of others.
        index(
            "outbox_parked",
            "outbox_parked_lane",
            doc! { "destination": 1, "partition": 1, "dueAt": 1, "seq": 1 },
            None,
        ),
        index("outbox_parked", "outbox_parked_state", doc! { "state": 1, "seq": 1 }, None),
        index("outbox_parked", "outbox_parked_seq", doc! { "seq": 1 }, None),
        index("outbox_parked", "outbox_parked_scope", doc! { "scope": 1, "seq": 1 }, None),
        index("outbox_held_keys", "outbox_held_keys_lane", doc! { "destination": 1, "partition": 1 }, None),
        index("outbox_attempts", "outbox_attempts_seq", doc! { "seq": 1, "destination": 1 }, None),
        index("outbox_chunks", "outbox_chunks_message", doc! { "message": 1, "n": 1 }, None),
        index("outbox_jobs", "outbox_jobs_open", doc! { "_id": 1, "isOpen": 1 }, Some(doc! { "isOpen": true })),
    ]
}

/// The indexes by which the server removes what nobody needs any more.
fn that_expire() -> [(String, IndexModel); 3] {
    [
        expiring("outbox_tokens", "outbox_tokens_ttl", "at", Duration::from_secs(TOKEN_DAYS * 24 * 3_600)),
        expiring("outbox_keys", "outbox_keys_ttl", "at", KEY_REMEMBERED),
        expiring("outbox_workers", "outbox_workers_ttl", "expiresAt", SHOWN_AFTER_END),
    ]
}

fn index(collection: &str, name: &str, keys: Document, only: Option<Document>) -> (String, IndexModel) {
    let options = IndexOptions::builder().name(name.to_owned()).partial_filter_expression(only).build();
    (collection.to_owned(), IndexModel::builder().keys(keys).options(options).build())
}

fn unique((collection, mut index): (String, IndexModel)) -> (String, IndexModel) {
    if let Some(options) = &mut index.options {
        options.unique = Some(true);
    }
    (collection, index)
}

fn expiring(collection: &str, name: &str, field: &str, after: Duration) -> (String, IndexModel) {
    let options = IndexOptions::builder().name(name.to_owned()).expire_after(after).build();
    (collection.to_owned(), IndexModel::builder().keys(doc! { field: 1 }).options(options).build())
}
