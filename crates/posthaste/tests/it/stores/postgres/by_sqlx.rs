//! Applications that hold a transaction of sqlx.

use posthaste::inspect::{Filter, Inspect, Page};
use posthaste::journal::Position;
use posthaste::{Message, Result};
use sqlx::{Connection, PgConnection};

use super::{InSchema, fresh};

/// With everything that a message can carry.
fn full(id: &str) -> Message {
    Message::builder("order.placed", "order", id)
        .payload(vec![0, 159, 146, 150], "application/octet-stream")
        .key("a key of its own")
        .tenant("acme")
        .user("ann")
        .correlation_id("c-1")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .build()
        .expect("a valid message")
}

async fn listed(t: &InSchema) -> Result<Vec<Message>> {
    let mut found = Vec::new();
    for report in t.store.list(&Filter::default(), Page { after: Position::START, limit: 10 }).await? {
        found.extend(t.store.get(report.id).await?.map(|report| report.message));
    }
    Ok(found)
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_a_sqlx_transaction_are_there_if_it_commits_and_not_if_it_does_not() -> Result<()> {
    let t = fresh().await;
    let mut application = PgConnection::connect(&t.options.url).await.expect("a connection");

    let mut rolled_back = application.begin().await.expect("a transaction");
    t.outbox().enqueue_sqlx(&mut rolled_back, &[full("1")]).await?;
    rolled_back.rollback().await.expect("a rollback");

    let kept = [full("2"), full("3")];
    let mut committed = application.begin().await.expect("a transaction");
    let enqueued = t.outbox().enqueue_sqlx(&mut committed, &kept).await?;
    committed.commit().await.expect("a commit");

    assert_eq!(enqueued.stored, 2);
    assert_eq!(listed(&t).await?, kept);
    Ok(())
}
