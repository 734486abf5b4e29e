//! The least that a relay could do: the same reads, into the same kind of values, and the same cursors moved once per batch.

use std::collections::HashMap;
use std::time::Instant;

use tokio_postgres::Row;
use uuid::Uuid;

use crate::database::Database;
use crate::{BATCH, MESSAGES, rate};

const CURSORS: &str = "
    CREATE TABLE bare_cursors (partition integer PRIMARY KEY, low bigint NOT NULL);
    INSERT INTO bare_cursors SELECT n, 0 FROM generate_series(0, 63) AS n;
    SET synchronous_commit = off";
const READ: &str = "
    SELECT seq, partition, id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, content_type,
           destination, source_stream, source_event, occurred_at, due_at, max_attempts, headers, payload
    FROM posthaste.outbox WHERE seq > $1 ORDER BY seq LIMIT $2";

pub(crate) async fn drain_rate() -> f64 {
    let database = Database::filled("drain-bare", MESSAGES).await;
    let begun = Instant::now();
    let client = database.connect().await;
    client.batch_execute(CURSORS).await.expect("cursors");
    let read = client.prepare(READ).await.expect("a statement");
    let moved = client.prepare("UPDATE bare_cursors SET low = $1").await.expect("a statement");
    let (mut after, mut total) = (0_i64, 0);
    loop {
        let rows = client.query(&read, &[&after, &(BATCH as i64)]).await.expect("rows");
        let Some(last) = rows.last() else { break };
        (after, total) = (last.get(0), total + rows.len());
        let mut keys: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
        for row in &rows {
            let (key, payload) = decode(row);
            keys.entry(key).or_default().push(payload);
        }
        std::hint::black_box(keys);
        client.execute(&moved, &[&after]).await.expect("cursors moved");
    }
    assert_eq!(total, MESSAGES);
    rate(MESSAGES, begun)
}

fn decode(row: &Row) -> (String, Vec<u8>) {
    let texts: [Option<String>; 11] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(|column| row.get(column));
    let times: [Option<jiff::Timestamp>; 2] = [14, 15].map(|column| row.get(column));
    std::hint::black_box((row.get::<_, Uuid>(2), row.get::<_, i32>(1), times, row.get::<_, Option<i32>>(16)));
    let key = format!("{}/{}", texts[1].as_deref().unwrap_or_default(), texts[2].as_deref().unwrap_or_default());
    std::hint::black_box(texts);
    (key, row.get(18))
}
