//! What an application writes is there once its transaction has committed, whole, and in that order.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinSet;

use super::Fixture;
use super::making::{different_orders, ids, made, order, orders, unordered};
use crate::error::Result;
use crate::inspect::Filter;
use crate::journal::{Enqueued, Entry, Hint, Position};
use crate::message::Message;

/// A message in an open transaction cannot be read.
pub async fn nothing_is_visible_before_its_transaction_commits(t: Fixture) -> Result<()> {
    let message = order("1");
    let transaction = t.subject.begin(vec![message.clone()]).await?;
    assert!(t.read_all().await?.is_empty());
    assert!(t.list(&Filter::default()).await?.is_empty());
    assert!(t.inspect.get(message.id).await?.is_none());
    assert_eq!(t.inspect.overview().await?.messages, 0);
    transaction.commit().await?;
    assert_eq!(ids(&t.read_all().await?), [message.id]);
    Ok(())
}

/// A message of a rolled-back transaction is gone.
pub async fn what_is_rolled_back_never_appears(t: Fixture) -> Result<()> {
    t.subject.begin(orders("1", 3)).await?.roll_back().await?;
    let kept = order("1");
    t.write(vec![kept.clone()]).await?;
    assert_eq!(ids(&t.read_all().await?), [kept.id]);
    assert_eq!(t.inspect.overview().await?.messages, 1);
    Ok(())
}

/// A transaction that is given up leaves no message.
pub async fn a_dropped_transaction_is_rolled_back(t: Fixture) -> Result<()> {
    drop(t.subject.begin(orders("1", 3)).await?);
    let kept = order("1");
    t.write(vec![kept.clone()]).await?;
    assert_eq!(ids(&t.read_all().await?), [kept.id]);
    Ok(())
}

/// Writing an empty list is no error.
pub async fn an_enqueue_of_nothing_is_fine(t: Fixture) -> Result<()> {
    assert_eq!(t.write(vec![]).await?, Enqueued { stored: 0, duplicates: 0 });
    assert!(t.read_all().await?.is_empty());
    Ok(())
}

/// A large batch is stored whole and in order.
pub async fn a_transaction_may_hold_thousands_of_messages(t: Fixture) -> Result<()> {
    let messages = different_orders(3_000);
    let written: Vec<_> = messages.iter().map(|message| message.id).collect();
    assert_eq!(t.write(messages).await?, Enqueued { stored: 3_000, duplicates: 0 });
    assert_eq!(ids(&t.read_all().await?), written);
    Ok(())
}

/// Later messages of one writer have higher positions.
pub async fn positions_grow_in_the_order_of_writing(t: Fixture) -> Result<()> {
    let mut written = Vec::new();
    for batch in [orders("1", 3), different_orders(5), vec![unordered()], orders("1", 2)] {
        written.extend(batch.iter().map(|message| message.id));
        t.write(batch).await?;
    }
    let entries = t.read_all().await?;
    assert_eq!(ids(&entries), written);
    assert!(entries.is_sorted_by(|a, b| a.position < b.position), "positions strictly increase");
    assert!(entries.iter().all(|entry| entry.position > Position::START));
    Ok(())
}

/// What was read before a transaction commits stays behind its messages.
pub async fn what_commits_late_takes_its_place_behind_what_was_read(t: Fixture) -> Result<()> {
    let (late, early) = (order("late"), order("early"));
    let held = t.subject.begin(vec![late.clone()]).await?;
    let writer = t.write_beside(early.clone()).await?;
    let before = t.read_after(Position::START).await?;
    held.commit().await?;
    writer.join_all().await.into_iter().collect::<Result<Vec<_>>>()?;
    let after = t.read_after(before.upto).await?;
    assert!(after.entries.iter().all(|entry| entry.position > before.upto));
    let seen: Vec<_> = before.entries.into_iter().chain(after.entries).collect();
    assert_eq!(BTreeSet::from_iter(ids(&seen)), BTreeSet::from([late.id, early.id]));
    assert_eq!(seen.len(), 2);
    Ok(())
}

/// A reader that follows concurrent writers sees every message once.
pub async fn a_reader_misses_nothing_while_many_write(t: Fixture) -> Result<()> {
    const WRITERS: usize = 6;
    const EACH: usize = 20;
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let subject = t.subject.clone();
        writers.spawn(async move {
            for n in 0..EACH {
                let event = Message::builder("order.changed", "order", writer.to_string());
                subject.write(vec![made(event.correlation_id(n.to_string()))]).await?;
            }
            Ok::<_, crate::Error>(())
        });
    }

    let mut seen: Vec<Entry> = Vec::new();
    let mut upto = Position::START;
    while seen.len() < WRITERS * EACH {
        let batch = t.read_after(upto).await?;
        assert!(batch.entries.iter().all(|entry| entry.position > upto), "nothing appears before `upto`");
        upto = batch.upto;
        seen.extend(batch.entries);
        if let Some(ended) = writers.try_join_next() {
            ended.expect("a writer does not panic")?;
        } else if writers.is_empty() {
            seen.extend(t.read_after(upto).await?.entries);
            break;
        }
        tokio::task::yield_now().await;
    }
    for writer in 0..WRITERS {
        let of_writer = seen.iter().filter(|entry| entry.message.aggregate_id == writer.to_string());
        let numbers: Vec<_> = of_writer.filter_map(|entry| entry.message.correlation_id.clone()).collect();
        let expected: Vec<_> = (0..EACH).map(|n| n.to_string()).collect();
        assert_eq!(numbers, expected, "each writer's events once and in the order of its commits");
    }
    Ok(())
}

/// Writing the same origin again stores nothing and says so.
pub async fn an_origin_is_stored_once(t: Fixture) -> Result<()> {
    let first = made(Message::builder("order.created", "order", "1").origin("orders", "7"));
    let again = made(Message::builder("order.created", "order", "1").origin("orders", "7"));
    assert_eq!(t.write(vec![first.clone()]).await?, Enqueued { stored: 1, duplicates: 0 });
    assert_eq!(t.write(vec![again]).await?, Enqueued { stored: 0, duplicates: 1 });
    assert_eq!(ids(&t.read_all().await?), [first.id]);
    Ok(())
}

/// A repeat inside of one call is stored once.
pub async fn an_origin_is_stored_once_within_one_batch(t: Fixture) -> Result<()> {
    let from = |event: &str| made(Message::builder("order.created", "order", "1").origin("orders", event));
    let batch = vec![from("1"), from("2"), from("1"), order("1")];
    let kept = [batch[0].id, batch[1].id, batch[3].id];
    assert_eq!(t.write(batch).await?, Enqueued { stored: 3, duplicates: 1 });
    assert_eq!(ids(&t.read_all().await?), kept);
    Ok(())
}

/// The same origin may be written for several destinations.
pub async fn an_origin_is_stored_once_for_each_destination(t: Fixture) -> Result<()> {
    let origin = || Message::builder("order.created", "order", "1").origin("orders", "7");
    let batch = || vec![made(origin()), made(origin().destination("a")), made(origin().destination("b"))];
    assert_eq!(t.write(batch()).await?, Enqueued { stored: 3, duplicates: 0 });
    assert_eq!(t.write(batch()).await?, Enqueued { stored: 0, duplicates: 3 });
    assert_eq!(t.read_all().await?.len(), 3);
    Ok(())
}

/// The same event number in another stream is another message.
pub async fn only_the_whole_origin_makes_a_repeat(t: Fixture) -> Result<()> {
    let from = |stream, event| made(Message::builder("order.created", "order", "1").origin(stream, event));
    let batch = vec![from("orders", "1"), from("orders", "2"), from("returns", "1"), order("1"), order("1")];
    assert_eq!(t.write(batch).await?, Enqueued { stored: 5, duplicates: 0 });
    Ok(())
}

/// A rolled-back write does not block its repeat.
pub async fn an_origin_that_was_rolled_back_can_be_written(t: Fixture) -> Result<()> {
    let message = made(Message::builder("order.created", "order", "1").origin("orders", "7"));
    t.subject.begin(vec![message.clone()]).await?.roll_back().await?;
    assert_eq!(t.write(vec![message]).await?, Enqueued { stored: 1, duplicates: 0 });
    Ok(())
}

/// A key has one partition, and keys use all of them.
pub async fn messages_of_one_key_share_a_partition_and_others_spread(t: Fixture) -> Result<()> {
    let partitions = t.journal.partitions().await?;
    let of_one_key = t.written(orders("1", 5)).await?;
    assert!(of_one_key.iter().all(|entry| entry.partition == of_one_key[0].partition));
    let unordered = t.written((0..100).map(|_| unordered()).collect()).await?;
    let used = BTreeSet::from_iter(unordered.iter().map(|entry| entry.partition));
    assert!(used.len() > 1, "messages without a key do not crowd into one partition");
    assert!(used.iter().all(|&partition| partition.number() < partitions));
    Ok(())
}

/// A waiting worker hears of a commit without polling.
pub async fn a_write_is_hinted_at(t: Fixture) -> Result<()> {
    let brief = Duration::from_millis(20);
    let mut watch = t.store.watch();
    for _ in 0..5 {
        if watch.wait(brief).await? == Hint::Nothing {
            break;
        }
    }
    t.write(vec![order("1")]).await?;
    assert_eq!(watch.wait(brief).await?, Hint::Maybe);
    Ok(())
}

/// A wait never lasts longer than it was asked to.
pub async fn a_wait_ends_when_something_is_written_or_its_time_is_up(t: Fixture) -> Result<()> {
    let mut watch = t.store.watch();
    let idle = watch.wait(Duration::from_millis(10));
    tokio::time::timeout(Duration::from_secs(10), idle).await.expect("an idle wait ends")?;
    let mut waiter = JoinSet::new();
    waiter.spawn(async move { watch.wait(Duration::from_secs(2)).await });
    t.write(vec![order("1")]).await?;
    let hint = waiter.join_next().await.expect("there is a waiter").expect("it does not panic")?;
    assert_eq!(hint, Hint::Maybe);
    Ok(())
}
