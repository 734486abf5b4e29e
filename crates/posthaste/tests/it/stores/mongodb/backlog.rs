//! A relay that comes back to a backlog.

use std::time::Duration;

use posthaste::inspect::Inspect;
use posthaste::journal::{Journal, Position};
use posthaste::store::Store;
use posthaste::stores::mongodb::Options;
use posthaste::{Message, Result};

use super::Database;
use crate::servers;

/// Messages stored in one transaction.
const AT_ONCE: usize = 500;

/// What one call numbers of a backlog.
const PART: u64 = 4_000;

async fn with_messages(n: u64) -> Result<Database> {
    let mut options = Options::default();
    // Thousands of messages may take long on a busy machine.
    options.answer_timeout = Duration::from_secs(600);
    let t = Database::with(&servers::address("mongodb"), options).await;
    let message = |n: u64| Message::builder("order.placed", "order", n.to_string()).json(&n).build();
    let messages: Vec<_> = (0..n).map(|n| message(n).expect("a valid message")).collect();
    for some in messages.chunks(AT_ONCE) {
        t.store.write(some).await?;
    }
    Ok(t)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_beginning_of_a_backlog_can_be_read_before_the_rest_is_numbered() -> Result<()> {
    let t = with_messages(PART + 1_000).await?;
    assert_eq!(t.store.advance().await?, Position::seq(PART));
    assert_eq!(t.store.advance().await?, Position::seq(PART + 1_000));
    assert_eq!(t.store.overview().await?.messages, PART + 1_000);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sees_all_of_a_backlog_at_once() -> Result<()> {
    let t = with_messages(PART + 1_000).await?;
    assert_eq!(t.store.overview().await?.messages, PART + 1_000);
    Ok(())
}
