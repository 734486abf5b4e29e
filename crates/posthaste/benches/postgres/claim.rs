//! The outbox that most projects write: claim a batch by UPDATE … SKIP LOCKED, send it, mark it as sent. With care: the
//! statements are prepared, and a batch is one statement.

use std::time::Instant;

use posthaste::Message;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement, Transaction};
use uuid::Uuid;

use crate::database::{Database, wal_bytes};
use crate::{BATCH, MESSAGES, rate};

const CLAIM: &str = "
    UPDATE claims SET status = 'PROCESSING', locked_by = 'worker-1', locked_at = now(), attempts = attempts + 1
    WHERE id IN (
        SELECT id FROM claims WHERE status = 'PENDING' AND due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload";
const SENT: &str = "
    UPDATE claims SET status = 'SENT', sent_at = now(), locked_by = NULL, locked_at = NULL, last_error = NULL
    WHERE id = ANY ($1)";

pub(crate) struct Claims {
    client: Client,
    claim: Statement,
    sent: Statement,
}

impl Claims {
    pub(crate) async fn open(database: &Database) -> Self {
        let client = database.connect().await;
        let claim = client.prepare(CLAIM).await.expect("a statement");
        let sent = client.prepare(SENT).await.expect("a statement");
        Self { client, claim, sent }
    }

    /// Claims a batch, hands each message to `send`, and marks them as sent. How many there were.
    pub(crate) async fn batch(&self, mut send: impl FnMut(Uuid)) -> usize {
        let rows = self.client.query(&self.claim, &[&(BATCH as i64)]).await.expect("a batch");
        if rows.is_empty() {
            return 0;
        }
        for row in &rows {
            send(decode(row));
        }
        let ids: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
        self.client.execute(&self.sent, &[&ids]).await.expect("a mark") as usize
    }
}

/// Into the same kind of values as the relay's.
fn decode(row: &Row) -> Uuid {
    let texts: [Option<String>; 5] = [1, 2, 3, 4, 5].map(|column| row.get(column));
    std::hint::black_box((texts, row.get::<_, Vec<u8>>(6)));
    row.get(0)
}

/// What an application does with one message.
pub(crate) async fn insert(transaction: &Transaction<'_>, message: &Message) {
    let sql = "INSERT INTO claims (id, event_type, aggregate_type, aggregate_id, content_type, payload)
        VALUES ($1, $2, $3, $4, $5, $6)";
    let (kind, aggregate, id) =
        (message.event_type.as_str(), message.aggregate_type.as_str(), message.aggregate_id.as_str());
    let (content, payload) = (message.content_type.as_str(), &message.payload[..]);
    let values: [&(dyn ToSql + Sync); 6] = [&message.id.0, &kind, &aggregate, &id, &content, &payload];
    transaction.execute(sql, &values).await.expect("it is stored");
}

async fn drain(database: &Database) {
    let claims = Claims::open(database).await;
    let mut total = 0;
    loop {
        match claims.batch(|id| _ = std::hint::black_box(id)).await {
            0 => break,
            batch => total += batch,
        }
    }
    assert_eq!(total, MESSAGES);
}

pub(crate) async fn drain_rate() -> f64 {
    let database = Database::filled("drain-claim", MESSAGES).await;
    let begun = Instant::now();
    drain(&database).await;
    rate(MESSAGES, begun)
}

pub(crate) async fn wal_bytes_per_message() -> f64 {
    let database = Database::filled("wal-claim", MESSAGES).await;
    let client = database.connect().await;
    let before = wal_bytes(&client).await;
    drain(&database).await;
    ((wal_bytes(&client).await - before) as f64 / MESSAGES as f64).round()
}
