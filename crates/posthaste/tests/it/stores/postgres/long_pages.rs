//! A long page is read by two connections, each of which reads a half. Together they say what one would.

use posthaste::Result;
use posthaste::journal::{Journal, Partition, Position, ReadRequest};
use uuid::Uuid;

use super::{InSchema, fresh};

/// Messages between two gaps of the sequence.
const STRETCH: i64 = 5_000;
const GAP: i64 = 3_000;
const LIMIT: usize = 4_000;

/// One transaction, whose sequence numbers have gaps: a half of a page may hold few messages, or none.
async fn with_gaps() -> Result<InSchema> {
    let t = fresh().await;
    let insert = format!(
        "INSERT INTO {} (event_type, aggregate_type, aggregate_id, payload) \
         SELECT 'a', 'b', n::text, '' FROM generate_series(1, {STRETCH}) AS n;",
        t.name("outbox")
    );
    let sequence = format!("pg_get_serial_sequence('{}', 'seq')", t.name("outbox"));
    let gap = format!("SELECT nextval({sequence}) FROM generate_series(1, {GAP});");
    let all = format!("BEGIN; {insert} {gap} {insert} {gap} {insert} COMMIT;");
    t.application().await.batch_execute(&all).await?;
    t.store.advance().await?;
    Ok(t)
}

/// The messages of these partitions, page by page.
async fn read(t: &InSchema, partitions: &[Partition]) -> Result<Vec<String>> {
    let (partitions, until) = (partitions.to_vec(), Position::END);
    let mut request = ReadRequest { partitions, after: Position::START, until, limit: LIMIT, max_bytes: 64 << 20 };
    let mut found = Vec::new();
    loop {
        let batch = t.store.read(&request).await?;
        assert!(batch.entries.len() <= LIMIT);
        assert!(batch.entries.is_sorted_by_key(|entry| entry.position));
        found.extend(batch.entries.iter().map(|entry| entry.message.id.to_string()));
        if batch.upto == request.after {
            return Ok(found);
        }
        request.after = batch.upto;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missing_or_twice_between_the_halves_of_a_page() -> Result<()> {
    let t = with_gaps().await?;
    let select = format!("SELECT id, partition FROM {} ORDER BY seq", t.name("outbox"));
    let rows = t.application().await.query(&select, &[]).await?;
    assert_eq!(rows.len() as i64, 3 * STRETCH);
    for held in [64, 16, 3] {
        let partitions: Vec<Partition> = Partition::all(64).take(held).collect();
        let is_held = |row: &&tokio_postgres::Row| (row.get::<_, i32>(1) as usize) < held;
        let expected: Vec<String> = rows.iter().filter(is_held).map(|row| row.get::<_, Uuid>(0).to_string()).collect();
        assert!(read(&t, &partitions).await? == expected, "with {held} partitions");
    }
    Ok(())
}
