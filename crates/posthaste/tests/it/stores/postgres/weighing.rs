//! What a large tick weighs is estimated by its first messages. Nobody relies on that.

use posthaste::journal::{Journal, Partition, Position, ReadRequest};
use posthaste::{Message, Result};

use super::fresh;

const LIGHT: usize = 2_000;
const HEAVY: usize = 40;
const HEAVY_BYTES: usize = 100_000;
const MAX_BYTES: usize = 1_000_000;

fn message(n: usize) -> Message {
    let payload = if n < LIGHT { vec![b'x'] } else { vec![b'x'; HEAVY_BYTES] };
    let message = Message::builder("order.placed", "order", n.to_string());
    message.payload(payload, "application/octet-stream").build().expect("a valid message")
}

#[tokio::test(flavor = "multi_thread")]
async fn heavy_messages_behind_many_light_ones_are_read_in_portions_that_fit() -> Result<()> {
    let t = fresh().await;
    let messages: Vec<Message> = (0..LIGHT + HEAVY).map(message).collect();
    let mut application = t.application().await;
    let transaction = application.transaction().await?;
    t.outbox().enqueue(&transaction, &messages).await?;
    transaction.commit().await?;
    t.store.advance().await?;
    let mut request = ReadRequest {
        partitions: Partition::all(64).collect(),
        after: Position::START,
        until: Position::END,
        limit: 10_000,
        max_bytes: MAX_BYTES,
    };
    let mut found = Vec::new();
    while found.len() < messages.len() {
        let batch = t.store.read(&request).await?;
        let bytes: usize = batch.entries.iter().map(|entry| entry.message.payload.len()).sum();
        assert!(bytes < MAX_BYTES + HEAVY_BYTES, "{bytes} bytes at once");
        assert!(batch.upto > request.after, "it goes on");
        request.after = batch.upto;
        found.extend(batch.entries.into_iter().map(|entry| entry.message.id));
    }
    assert_eq!(found, messages.iter().map(|message| message.id).collect::<Vec<_>>());
    Ok(())
}
