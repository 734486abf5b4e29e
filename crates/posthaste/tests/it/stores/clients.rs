//! The plain-SQL contract, kept by real clients of other languages: the programs in `clients`.

use std::path::{Path, PathBuf};
use std::process::Command;

use posthaste::journal::{Entry, Partition, Position, ReadRequest};
use posthaste::store::Store;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program of `clients` in Python.
pub(super) fn python(program: &str) -> Command {
    let mut python = Command::new(root().join("target/clients/python/bin/python"));
    python.arg(root().join("clients").join(program));
    python
}

/// A program of `clients` in Node. A module looks for others where it stands.
pub(super) fn node(program: &str) -> Command {
    let copy = root().join("target/clients").join(program);
    std::fs::copy(root().join("clients").join(program), &copy).expect("missing: cargo xtask clients");
    let mut node = Command::new("node");
    node.arg(copy);
    node
}

/// The ids that a client printed, in the order in which it committed them.
fn written_by(client: &mut Command, url: &str) -> Vec<String> {
    let output = client.arg(url).output().expect("missing: cargo xtask clients");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(ToOwned::to_owned).collect()
}

async fn read_all(store: &dyn Store) -> Vec<Entry> {
    let until = store.advance().await.unwrap();
    let partitions = Partition::all(store.partitions().await.unwrap()).collect();
    let request = ReadRequest { partitions, after: Position::START, until, limit: 1_000, max_bytes: usize::MAX };
    store.read(&request).await.unwrap().entries
}

/// What all clients write to the store at `url`, each with a name of its own.
pub(super) async fn keep_the_contract(client: &mut Command, name: &str, store: &dyn Store, url: &str) {
    let written = written_by(client, url);
    let read = read_all(store).await;
    let ids: Vec<String> = read.iter().map(|entry| entry.message.id.to_string()).collect();
    assert_eq!(ids, written, "what was rolled back or came twice is not there");
    let messages: Vec<_> = read.iter().map(|entry| &entry.message).collect();
    let types: Vec<&str> = messages.iter().map(|message| message.event_type.as_str()).collect();
    assert_eq!(types, ["order.placed", "order.shipped", "invoice.paid", "invoice.paid", "page.viewed"]);

    let placed = messages[0];
    assert_eq!(placed.key.as_deref(), Some(format!("order/{name}-1").as_str()), "the aggregate is the key");
    assert_eq!(placed.content_type, "application/json");
    assert_eq!(placed.id.0.get_version_num(), 7);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&placed.payload).unwrap()["total"], 42);
    assert!(placed.tenant.is_none() && placed.headers.is_empty() && placed.origin.is_none());

    let shipped = messages[1];
    assert_eq!((shipped.tenant.as_deref(), shipped.user.as_deref()), (Some("acme"), Some("ann")));
    assert_eq!((shipped.correlation_id.as_deref(), shipped.max_attempts), (Some("request-7"), Some(3)));
    let headers: Vec<_> = shipped.headers.iter().collect();
    assert_eq!(headers, [("trace", "a"), ("trace", "b"), ("größe", "ü")]);
    assert_eq!(shipped.occurred_at, "2026-01-02T03:04:05.678Z".parse().unwrap());
    assert!(shipped.due_at.is_some());

    let origin = messages[3].origin.as_ref().unwrap();
    assert_eq!((origin.stream.as_str(), origin.event.as_str()), (format!("{name}-invoices").as_str(), "2"));
    assert_eq!(messages[4].key, None, "no order is asked for");
}
