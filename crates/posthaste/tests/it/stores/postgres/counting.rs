//! What is pending is counted and listed by statements of their own, from the slowest cursor on. The view says the same, slowly.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use deadpool_postgres::Transaction;
use posthaste::destination::Route;
use posthaste::inspect::{Filter, Inspect, Page, Status};
use posthaste::journal::{
    Cursor, Entry, Journal, LaneCommit, Lease, Park, ParkedState, Partition, Position, ReadRequest, WorkerId,
};
use posthaste::{Destination, Message, Result};

use super::{InSchema, fresh};

fn message(n: usize) -> Message {
    let kind = if n.is_multiple_of(3) { "invoice.sent" } else { "order.placed" };
    let message = Message::builder(kind, "order", (n % 40).to_string());
    if n.is_multiple_of(7) { message.destination("b") } else { message }.build().expect("a valid message")
}

async fn insert(within: &Transaction<'_>, t: &InSchema, numbers: Range<usize>) -> Result<()> {
    let messages: Vec<Message> = numbers.map(message).collect();
    t.outbox().enqueue(within, &messages).await.map(drop)
}

async fn commit(t: &InSchema, numbers: Range<usize>) -> Result<()> {
    let mut application = t.application().await;
    let transaction = application.transaction().await?;
    insert(&transaction, t, numbers).await?;
    Ok(transaction.commit().await?)
}

/// Several ticks, in one of which is what an earlier one still waited for, and messages in none.
async fn ticks(t: &InSchema) -> Result<Vec<Entry>> {
    let mut late = t.application().await;
    let late = late.transaction().await?;
    insert(&late, t, 0..20).await?;
    for tick in 1..4 {
        commit(t, tick * 100..tick * 100 + 60).await?;
        t.store.advance().await?;
    }
    late.commit().await?;
    commit(t, 400..430).await?;
    t.store.advance().await?;
    let request = ReadRequest {
        partitions: Partition::all(64).collect(),
        after: Position::START,
        until: Position::END,
        limit: 10_000,
        max_bytes: usize::MAX,
    };
    let entries = t.store.read(&request).await?.entries;
    commit(t, 500..520).await?;
    Ok(entries)
}

/// A lane that stands at the `n`th entry, has delivered every other one of its own after it, and has set one of those aside.
fn standing(destination: &str, lease: &Lease, entries: &[Entry], n: usize) -> LaneCommit {
    let beyond = entries[n..].iter().skip(1).filter(|entry| entry.partition == lease.partition);
    let done: Vec<&Entry> = beyond.step_by(2).collect();
    let park = done.first().map(|entry| Park {
        position: entry.position,
        message: entry.message.id,
        key: entry.message.order_key(),
        state: ParkedState::Dead,
        holds: false,
        attempts: 1,
        suspicion: 0,
        due_in: None,
        error: None,
        progress: None,
    });
    let cursor = Cursor { low: entries[n].position, done: done.iter().map(|entry| entry.position).collect() };
    let nothing = LaneCommit::nothing(destination.into(), lease.partition, lease.epoch);
    LaneCommit { cursor: Some(cursor), park: park.into_iter().collect(), ..nothing }
}

async fn compare(t: &InSchema) -> Result<()> {
    let view =
        format!("SELECT destination, count(*) FROM {} WHERE status = 'pending' GROUP BY 1", t.name("outbox_status"));
    let shown = t.application().await.query(&view, &[]).await?;
    let shown: BTreeMap<String, i64> = shown.iter().map(|row| (row.get(0), row.get(1))).collect();
    let counts = t.store.overview().await?.destinations;
    let pending = Filter { statuses: vec![Status::Pending], ..Filter::default() };
    let listed = t.store.list(&pending, Page::after(Position::START, 10_000)).await?.rows;
    for one in counts {
        let expected = shown.get(&one.destination).copied().unwrap_or_default();
        assert_eq!(one.pending as i64, expected, "counted at {}", one.destination);
        let listed = listed.iter().filter(|listed| listed.destination.as_deref() == Some(&*one.destination)).count();
        assert_eq!(listed as i64, expected, "listed at {}", one.destination);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pending_is_the_same_in_the_overview_in_lists_and_in_the_view() -> Result<()> {
    let t = fresh().await;
    let routed = Destination::new("b").route(Route::matching(["invoice.*"]));
    t.store.register(&[Destination::new("a"), routed]).await?;
    compare(&t).await?;
    let entries = ticks(&t).await?;
    compare(&t).await?;
    let leases = t.store.lease(&WorkerId("w".into()), Duration::from_secs(600), 64).await?.leases;
    // From lanes far apart to lanes that stand at the end of everything that is in a tick.
    for round in 0..6 {
        let place =
            |lane: usize| (round * entries.len() / 5 + lane * 17 % (1 + 60 * (5 - round))).min(entries.len() - 1);
        let commits = leases
            .iter()
            .enumerate()
            .flat_map(|(lane, lease)| ["a", "b"].map(|name| standing(name, lease, &entries, place(lane + name.len()))));
        assert!(t.store.commit(&commits.collect::<Vec<_>>()).await?.is_empty());
        compare(&t).await?;
    }
    Ok(())
}
