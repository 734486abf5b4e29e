//! The outbox that most projects write: claim a batch by SELECT … FOR UPDATE SKIP LOCKED and an UPDATE, send it, mark it as sent. With
//! care: at READ COMMITTED, and a batch is one statement each.

use std::time::Instant;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Row, TxOpts};
use posthaste::Message;
use uuid::Uuid;

use crate::database::Database;
use crate::{BATCH, MESSAGES, rate};

const FIND: &str = "
    SELECT n, id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload
    FROM claims WHERE status = 'PENDING' AND due_at <= NOW(6) ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED";
const CLAIM: &str = "
    UPDATE claims SET status = 'PROCESSING', locked_by = 'worker-1', locked_at = NOW(6), attempts = attempts + 1 WHERE n IN";
const SENT: &str = "
    UPDATE claims SET status = 'SENT', sent_at = NOW(6), locked_by = NULL, locked_at = NULL, last_error = NULL WHERE n IN";

pub(crate) struct Claims(Conn);

impl Claims {
    pub(crate) async fn open(database: &Database) -> Self {
        let mut connection = database.connect().await;
        let committed = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
        connection.query_drop(committed).await.expect("a setting");
        Self(connection)
    }

    /// Claims a batch, hands each message to `send`, and marks them as sent. How many there were.
    pub(crate) async fn batch(&mut self, mut send: impl FnMut(Uuid)) -> usize {
        let mut transaction = self.0.start_transaction(TxOpts::default()).await.expect("a transaction");
        let rows: Vec<Row> = transaction.exec(FIND, (BATCH,)).await.expect("a batch");
        if rows.is_empty() {
            transaction.rollback().await.expect("an end");
            return 0;
        }
        let numbers: Vec<String> = rows.iter().map(|row| row.get::<u64, _>(0).expect("a number").to_string()).collect();
        let numbers = numbers.join(", ");
        transaction.query_drop(format!("{CLAIM} ({numbers})")).await.expect("a claim");
        transaction.commit().await.expect("a commit");
        for row in &rows {
            send(decode(row));
        }
        self.0.query_drop(format!("{SENT} ({numbers})")).await.expect("a mark");
        rows.len()
    }
}

/// Into the same kind of values as the relay's.
fn decode(row: &Row) -> Uuid {
    let texts: [Option<String>; 5] = [2, 3, 4, 5, 6].map(|column| row.get(column).expect("a column"));
    std::hint::black_box((texts, row.get::<Vec<u8>, _>(7)));
    row.get::<String, _>(1).and_then(|id| id.parse().ok()).expect("an id")
}

/// What an application does with one message.
pub(crate) async fn insert(connection: &mut impl Queryable, message: &Message) {
    write(connection, std::slice::from_ref(message)).await;
}

/// What it does with several.
pub(crate) async fn write(connection: &mut impl Queryable, messages: &[Message]) {
    let rows = vec!["(?, ?, ?, ?, ?, ?, ?)"; messages.len()].join(", ");
    let columns = "id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload";
    let mut values: Vec<mysql_async::Value> = Vec::new();
    for message in messages {
        values.extend([message.id.to_string().into(), message.event_type.as_str().into()]);
        values.extend([message.aggregate_type.as_str().into(), message.aggregate_id.as_str().into()]);
        values.extend([message.correlation_id.as_deref().into(), message.content_type.as_str().into()]);
        values.push((&*message.payload).into());
    }
    connection.exec_drop(format!("INSERT INTO claims ({columns}) VALUES {rows}"), values).await.expect("it is stored");
}

pub(crate) async fn drain_rate() -> f64 {
    let database = Database::filled("drain-claim", MESSAGES).await;
    let mut claims = Claims::open(&database).await;
    let begun = Instant::now();
    let mut total = 0;
    loop {
        match claims.batch(|id| _ = std::hint::black_box(id)).await {
            0 => break,
            batch => total += batch,
        }
    }
    assert_eq!(total, MESSAGES);
    rate(MESSAGES, begun)
}
