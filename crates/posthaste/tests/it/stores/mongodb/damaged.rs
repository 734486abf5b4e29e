//! Documents of clients that write bytes: none of them stops the sequencer, a lane or the stream.

use mongodb::bson::{Bson, RawArrayBuf, RawDocumentBuf, doc, rawdoc};
use posthaste::Result;
use posthaste::store::Store;

use super::Database;
use super::plain::entries;

const NOT_UTF8: &[u8] = b"\xff\xfe";

/// A field of a document, as the format has it: its kind, its name and its value.
fn field(kind: u8, name: &[u8], value: &[u8]) -> Vec<u8> {
    [&[kind][..], name, &[0], value].concat()
}

fn text(name: &[u8], value: &[u8]) -> Vec<u8> {
    let length = (value.len() as u32 + 1).to_le_bytes();
    field(2, name, &[&length[..], value, &[0]].concat())
}

fn bytes(fields: &[Vec<u8>]) -> Vec<u8> {
    let fields = fields.concat();
    let length = (fields.len() as u32 + 5).to_le_bytes();
    [&length[..], &fields, &[0]].concat()
}

/// A message with these fields beside, or in the place of, its own.
fn message(id: &str, more: Vec<(&str, Vec<u8>)>) -> RawDocumentBuf {
    let own = [("_id", id), ("eventType", "order.created"), ("aggregateId", id)];
    let own = own.iter().filter(|(name, _)| more.iter().all(|(given, _)| given != name));
    let own = own.map(|(name, value)| text(name.as_bytes(), value.as_bytes()));
    let fields: Vec<Vec<u8>> = own.chain(more.iter().map(|(_, field)| field.clone())).collect();
    RawDocumentBuf::from_bytes(bytes(&fields)).expect("its length is right")
}

async fn insert(database: &Database, documents: Vec<RawDocumentBuf>) -> Result<()> {
    let mut list = RawArrayBuf::new();
    documents.into_iter().for_each(|document| list.push(document));
    let command = rawdoc! { "insert": "outbox_events", "documents": list };
    let answer = database.database().run_raw_command(command).await?;
    assert!(answer.get("writeErrors").is_none(), "{answer}");
    Ok(())
}

async fn reasons(database: &Database) -> Result<Vec<String>> {
    let mut cursor = database
        .documents("outbox_events")
        .clone_with_type::<RawDocumentBuf>()
        .find(doc! { "posthaste.seq": -1 })
        .await?;
    let mut reasons = Vec::new();
    while cursor.advance().await? {
        let own = cursor.current().get_document("posthaste").expect("what the sequencer wrote");
        reasons.push(own.get_str("refused").expect("a reason").to_owned());
    }
    reasons.sort();
    Ok(reasons)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_is_not_utf8_is_refused_where_it_orders_or_routes_and_holds_nobody() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let inner = bytes(&[text(b"a", NOT_UTF8)]);
    let documents = ["_id", "eventType", "aggregateId", "tenant", "key", "destination"]
        .iter()
        .enumerate()
        .map(|(n, name)| message(&format!("bad-{n}"), vec![(*name, text(name.as_bytes(), NOT_UTF8))]))
        .chain([
            message("inner-id", vec![("_id", field(3, b"_id", &inner))]),
            message("fine", vec![("other", text(NOT_UTF8, NOT_UTF8))]),
        ]);
    insert(&database, documents.collect()).await?;
    let entries = entries(&database.store).await?;
    assert_eq!(entries.iter().map(|entry| entry.message.aggregate_id.as_str()).collect::<Vec<_>>(), ["fine"]);
    let expected = ["_id", "_id", "aggregateId", "destination", "eventType", "key", "tenant"];
    assert_eq!(
        reasons(&database).await?,
        expected.map(|name| format!("`{name}` is damaged, as a text is that is not UTF-8"))
    );
    let problems = database.store.check().await?;
    assert!(problems.iter().any(|problem| problem.text.starts_with("7 documents")), "{problems:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_payload_that_is_not_utf8_is_delivered_as_the_bytes_that_it_is() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let inner =
        bytes(&[text(NOT_UTF8, b"x"), field(11, b"r", b"\xff\0\xff\0"), field(13, b"code", b"\x02\0\0\0\xff\0")]);
    let headers = bytes(&[text(b"x", NOT_UTF8)]);
    let documents = vec![
        message("1", vec![("payload", text(b"payload", NOT_UTF8))]),
        message("2", vec![("payload", field(3, b"payload", &inner)), ("headers", field(3, b"headers", &headers))]),
        message("3", vec![("payload", text(b"payload", b"{}"))]),
    ];
    insert(&database, documents).await?;
    let entries = entries(&database.store).await?;
    let payloads: Vec<&[u8]> = entries.iter().map(|entry| &entry.message.payload[..]).collect();
    assert_eq!(payloads.len(), 3, "each is delivered");
    assert_eq!((payloads[0], payloads[2]), (NOT_UTF8, &b"{}"[..]));
    let json = String::from_utf8_lossy(payloads[1]);
    assert!(json.starts_with("{\"\u{fffd}\u{fffd}\":\"x\",\"r\":"), "{json}");
    assert_eq!(entries[1].message.headers.get("x"), Some("\u{fffd}\u{fffd}"));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_stands_where_the_sequencer_writes_holds_nobody() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let events = database.documents("outbox_events");
    let kinds: [Bson; 5] =
        ["x".into(), 5.into(), Bson::Null, Bson::Array(vec![doc! {}.into()]), doc! { "key": 1.5 }.into()];
    for kind in kinds {
        events.insert_one(doc! { "eventType": "forged", "aggregateId": "1", "posthaste": kind }).await?;
    }
    events.insert_one(doc! { "eventType": "done", "aggregateId": "1", "status": "published", "posthaste": 7 }).await?;
    events.insert_one(doc! { "eventType": "fine", "aggregateId": "1" }).await?;
    let entries = entries(&database.store).await?;
    let taken: Vec<_> = entries.iter().map(|entry| entry.message.event_type.as_str()).collect();
    assert!(taken.ends_with(&["fine"]), "{taken:?}");
    assert_eq!(reasons(&database).await?, vec!["`posthaste` is not for writers"; 4]);
    Ok(())
}

/// With a stream that fails again and again, commits would be noticed by polling alone, and plain documents would lose their order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stream_goes_on_past_an_id_that_is_not_utf8() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    // Whoever numbers plain documents waits for what the stream tells of them.
    insert(&database, vec![message("before", Vec::new())]).await?;
    assert_eq!(entries(&database.store).await?.len(), 1);
    let restarts = database.store.stream_restarts();
    insert(&database, vec![message("x", vec![("_id", text(b"_id", NOT_UTF8))])]).await?;
    insert(&database, vec![message("after", Vec::new())]).await?;
    assert_eq!(entries(&database.store).await?.len(), 2);
    assert_eq!(database.store.stream_restarts(), restarts);
    Ok(())
}
