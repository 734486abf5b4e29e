//! Rows that somebody wrote by plain SQL, by the million.

use posthaste_hostile::{Outcome, Target};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::*;
use crate::inspect::Inspect as _;

const COLUMNS: &[&str] = &[
    "event_type",
    "aggregate_type",
    "aggregate_id",
    "key",
    "tenant",
    "id",
    "user_id",
    "correlation_id",
    "occurred_at",
    "due_at",
    "destination",
    "max_attempts",
    "source_stream",
    "source_event",
    "content_type",
    "headers",
    "payload",
    "partition",
];
const WORDS: &[&str] = &[
    "\x1f",
    "key=t",
    "tenant=t",
    "id=t",
    "headers=t",
    "headers=t{\"a\":",
    "headers=t[[\"a\",\"b\"]]",
    "payload=t",
    "payload=b",
    "payload=i7",
    "payload=r1.5",
    "payload=n",
    "partition=i3",
    "partition=i65535",
    "occurred_at=i",
    "due_at=i",
    "max_attempts=i0",
    "max_attempts=i-1",
    "destination=t",
    "source_stream=ta",
    "source_event=tb",
    "content_type=t",
    "event_type=torder.created",
    "aggregate_id=t",
    "key=n",
    "tenant=b",
    "id=t0191b0c0-0000-7000-8000-0000000000ff",
];

/// `column=` and a letter for the kind of value: text, blob, integer, real, null. Texts need not be UTF-8.
fn given(input: &[u8]) -> Vec<(&'static str, Value, bool)> {
    let mut given: Vec<(&'static str, Value, bool)> = Vec::new();
    for field in input.split(|byte| *byte == posthaste_hostile::FIELD) {
        let mut parts = field.splitn(2, |byte| *byte == b'=');
        let name = parts.next().unwrap_or_default();
        let Some(column) = COLUMNS.iter().find(|column| column.as_bytes() == name) else { continue };
        let (kind, value) = parts.next().and_then(|value| value.split_first()).unwrap_or((&b'n', &[]));
        let text = String::from_utf8_lossy(value);
        let value = match kind {
            b'i' => Value::Integer(text.parse().unwrap_or(value.len() as i64)),
            b'r' => Value::Real(text.parse().unwrap_or(0.5)),
            b't' | b'b' => Value::Blob(value.to_vec()),
            _ => Value::Null,
        };
        given.retain(|(known, ..)| known != column);
        given.push((column, value, *kind == b't'));
    }
    given
}

fn statement(given: &[(&'static str, Value, bool)]) -> String {
    let columns: Vec<&str> = given.iter().map(|(column, ..)| *column).collect();
    // A parameter of text would have to be UTF-8.
    let marks: Vec<&str> = given.iter().map(|(.., text)| if *text { "CAST(? AS TEXT)" } else { "?" }).collect();
    format!("INSERT INTO outbox ({}) VALUES ({})", columns.join(", "), marks.join(", "))
}

/// With what a row cannot be without, unless the input gives it.
fn complete(input: &[u8]) -> Vec<(&'static str, Value, bool)> {
    let mut row = given(input);
    for column in ["event_type", "aggregate_type", "aggregate_id", "payload"] {
        if !row.iter().any(|(given, ..)| *given == column) {
            row.push((column, Value::Blob(b"order".to_vec()), true));
        }
    }
    row
}

fn insert(application: &Connection, row: &[(&'static str, Value, bool)]) -> rusqlite::Result<i64> {
    application.prepare_cached(&statement(row))?.execute(params_from_iter(row.iter().map(|(_, value, _)| value)))?;
    Ok(application.last_insert_rowid())
}

/// What was written is there: in its partition, byte for byte where it is bytes.
async fn read(store: &Store, seq: i64, partition: u16, row: &[(&'static str, Value, bool)]) -> Result<()> {
    let partitions = vec![Partition::new(partition)];
    let seq = u64::try_from(seq).unwrap_or_default();
    let place = ReadRequest {
        partitions,
        after: Position::seq(seq - 1),
        until: Position::seq(seq),
        limit: 10,
        max_bytes: usize::MAX,
    };
    let entries = store.sqlite.read(&place).await?.entries;
    let [entry] = entries.as_slice() else { panic!("{} entries", entries.len()) };
    let payload = row.iter().find(|(column, ..)| *column == "payload").map(|(_, value, _)| value);
    if let Some(Value::Blob(payload)) = payload {
        assert_eq!(&entry.message.payload[..], &payload[..]);
    }
    let report = store.sqlite.get(entry.message.id).await?;
    assert!(report.is_some_and(|report| report.message.id == entry.message.id));
    Ok(())
}

#[test]
fn a_row_is_refused_when_it_is_written_or_can_be_read() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let store = runtime.block_on(Store::new())?;
    let application = store.application()?;
    application.execute_batch("PRAGMA synchronous = OFF")?;
    Target::new("sql_rows", WORDS).longest(4_096).cost(8).run(|input| {
        let row = complete(input);
        match insert(&application, &row) {
            Ok(seq) => {
                let partition = "SELECT partition FROM outbox WHERE seq = ?";
                let partition = application.query_row(partition, [seq], |row| row.get(0)).expect("a partition");
                runtime.block_on(read(&store, seq, partition, &row)).unwrap_or_else(|error| panic!("{error}"));
                let removed = application.execute("DELETE FROM outbox WHERE seq <= ?", [seq]).expect("it is removed");
                assert_eq!(removed, 1);
                Outcome::Taken
            }
            Err(error) => {
                let error = Error::from(error);
                assert!([Kind::Invalid, Kind::Corrupt].contains(&error.kind()), "{error}");
                let left: Option<i64> =
                    application.query_row("SELECT seq FROM outbox", [], |row| row.get(0)).optional().expect("a query");
                assert_eq!(left, None, "nothing of it is left");
                Outcome::Refused
            }
        }
    });
    Ok(())
}
