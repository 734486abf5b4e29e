//! The plain-document contract, kept by real clients of other languages: the programs in `clients`.

use std::path::{Path, PathBuf};
use std::process::Command;

use posthaste::Result;
use posthaste::journal::{Journal, Partition, Position, ReadRequest};

use super::Database;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The ids that a client printed, in the order in which it committed them.
fn written_by(client: &mut Command, database: &Database) -> Vec<String> {
    let output = client.arg(&database.url).output().expect("missing: cargo xtask clients");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").lines().map(ToOwned::to_owned).collect()
}

/// What both clients write, each with a name of its own.
async fn keeps_the_contract(client: &mut Command, name: &str) -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let written = written_by(client, &database);
    let until = database.store.advance().await?;
    let partitions = Partition::all(database.store.partitions().await?).collect();
    let request = ReadRequest { partitions, after: Position::START, until, limit: 1_000, max_bytes: usize::MAX };
    let read = database.store.read(&request).await?.entries;
    let ids: Vec<String> = read.iter().map(|entry| entry.message.id.to_string()).collect();
    assert_eq!(ids, written, "what was aborted or came twice is not there");
    let messages: Vec<_> = read.iter().map(|entry| &entry.message).collect();
    let types: Vec<&str> = messages.iter().map(|message| message.event_type.as_str()).collect();
    assert_eq!(types, ["order.placed", "order.shipped", "invoice.paid", "invoice.paid", "page.viewed"]);

    let placed = messages[0];
    assert_eq!(placed.key.as_deref(), Some(format!("order/{name}-1").as_str()), "the aggregate is the key");
    assert_eq!(placed.content_type, "application/json");
    assert_eq!(&placed.payload[..], br#"{"total":42}"#);
    assert!(placed.tenant.is_none() && placed.headers.is_empty() && placed.origin.is_none());

    let shipped = messages[1];
    assert_eq!((shipped.tenant.as_deref(), shipped.user.as_deref()), (Some("acme"), Some("ann")));
    assert_eq!((shipped.correlation_id.as_deref(), shipped.max_attempts), (Some("request-7"), Some(3)));
    assert_eq!(shipped.headers.iter().collect::<Vec<_>>(), [("trace", "a"), ("trace", "b"), ("größe", "ü")]);
    assert_eq!(shipped.occurred_at, "2026-01-02T03:04:05.678Z".parse().expect("a time"));
    assert!(shipped.due_at.is_some());

    let origin = messages[3].origin.as_ref().expect("it has one");
    assert_eq!((origin.stream.as_str(), origin.event.as_str()), (format!("{name}-invoices").as_str(), "2"));
    assert_eq!(messages[4].key, None, "no order is asked for");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn python_keeps_the_contract() -> Result<()> {
    let mut python = Command::new(root().join("target/clients/python/bin/python"));
    keeps_the_contract(python.arg(root().join("clients/mongodb.py")), "python").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_keeps_the_contract() -> Result<()> {
    // A module looks for others where it stands.
    let program = root().join("target/clients/mongodb.mjs");
    std::fs::copy(root().join("clients/mongodb.mjs"), &program).expect("missing: cargo xtask clients");
    keeps_the_contract(Command::new("node").arg(program), "node").await
}
