//! `adopt` of a collection: from an outbox that exists to a journal that is delivered from.

use mongodb::bson::{Document, doc};
use mongodb::{Collection, bson};

use super::InDatabase;
use crate::program::{Place, until};

/// The outbox of an application, with other names than ours: one document delivered, one that somebody has claimed, some pending.
fn legacy(t: &InDatabase, pending: usize) -> Collection<Document> {
    let collection = t.client.database(&t.database).collection("legacy_outbox");
    let document = |n: usize, status: &str| {
        doc! {
            "event_type": "order.placed", "aggregate_type": "order", "aggregate_id": n.to_string(), "data": { "n": n as i64 },
            "tenant_id": "acme", "state": status, "created_at": bson::DateTime::from_millis(1_793_588_645_000), "note": "ours",
        }
    };
    let mut documents = vec![document(1_000, "SENT"), document(2_000, "CLAIMED")];
    documents.extend((1..=pending).map(|n| document(n, "NEW")));
    t.runtime.block_on(async { collection.insert_many(documents).await }).unwrap();
    collection
}

#[test]
fn a_collection_is_recognised_and_shown_and_nothing_is_written_unless_asked() {
    let (place, t) = InDatabase::new();
    let collection = legacy(&t, 12);
    let before = std::fs::read_to_string(place.path("posthaste.toml")).unwrap();
    let answer = place.run(["adopt", "legacy_outbox", "--url", &t.url]).succeeds();
    for shown in [
        "legacy_outbox is a collection",
        "created_at",
        "`SENT` was delivered",
        "Others are delivered, too: `CLAIMED`",
        "10 messages of documents that are pending",
        "order/2000",
        "acme",
        "{\"n\":1}",
        "collection = \"legacy_outbox\"",
        "event_type = \"event_type\"",
        "payload = \"data\"",
        "status = { pending = \"NEW\", published = \"SENT\", failed = \"FAILED\" }",
    ] {
        assert!(answer.stdout.contains(shown), "{shown}: {}", answer.stdout);
    }
    assert!(!answer.stdout.contains("order/1000"), "it was delivered: {}", answer.stdout);
    assert!(answer.stderr.contains("--write"), "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(place.path("posthaste.toml")).unwrap(), before);
    let touched = doc! { "posthaste": { "$exists": true } };
    assert_eq!(t.runtime.block_on(async { collection.count_documents(touched).await }).unwrap(), 0);

    let json = place.json(["adopt", "legacy_outbox", "--url", &t.url, "--limit", "3"]);
    assert_eq!((&json["fields"]["tenant"], &json["fields"]["status"]), (&"tenant_id".into(), &"state".into()));
    assert_eq!((json["messages"].as_array().unwrap().len(), &json["pending"]), (3, &true.into()));
    assert_eq!((&json["other_statuses"][0], &json["written"]), (&"CLAIMED".into(), &serde_json::Value::Null));
    assert_eq!(json["fields"].get("note"), None);
}

#[test]
fn what_was_adopted_is_delivered_and_stamped_by_a_relay() {
    let (_, t) = InDatabase::new();
    let collection = legacy(&t, 5);
    let place = Place::empty();
    place.run(["init"]).succeeds();
    place.run(["adopt", "legacy_outbox", "--url", &t.url, "--write"]).succeeds();
    let again = place.run(["adopt", "legacy_outbox", "--url", &t.url, "--write"]).ends_with(2).stderr;
    assert!(again.contains("has a store already"), "{again}");
    place.run(["migrate"]).succeeds();
    place.run(["check"]).succeeds();
    let relay = place.relay();
    let sent = || t.runtime.block_on(async { collection.count_documents(doc! { "state": "SENT" }).await }).unwrap();
    until("all are stamped", || sent() == 7);
    relay.stop();
    let delivered = place.run(["list", "--json"]).succeeds().json_lines();
    let mut keys: Vec<_> = delivered.iter().map(|row| row["key"].as_str().unwrap()).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["order/1", "order/2", "order/2000", "order/3", "order/4", "order/5"],
        "and not what was SENT before"
    );
}

#[test]
fn what_cannot_be_adopted_says_why() {
    let (place, t) = InDatabase::new();
    legacy(&t, 1);
    let wrong = place.run(["adopt", "missing", "--url", &t.url]).ends_with(1).stderr;
    assert!(wrong.contains("has no collection `missing`: it has") && wrong.contains("legacy_outbox"), "{wrong}");
    let odd = doc! { "greeting": "hello" };
    let others = t.client.database(&t.database).collection::<Document>("greetings");
    t.runtime.block_on(async { others.insert_one(odd).await }).unwrap();
    let wrong = place.run(["adopt", "greetings", "--url", &t.url]).ends_with(1).stderr;
    assert!(wrong.contains("`fields.event_type`") && wrong.contains("it has greeting"), "{wrong}");
    let wrong = place.run(["adopt", "legacy_outbox", "--url", &t.url, "--source", "a"]).ends_with(2).stderr;
    assert!(wrong.contains("--source"), "{wrong}");
    let nowhere = "mongodb://127.0.0.1:1/app?serverSelectionTimeoutMS=300";
    place.run(["adopt", "legacy_outbox", "--url", nowhere]).ends_with(3);
}
