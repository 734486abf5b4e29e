//! Reading on: what was asked for, in order, all of it, and never too much at once.

use std::time::Duration;

use jiff::SignedDuration;

use super::Fixture;
use super::making::{different_orders, hold, ids, made, order, orders, park, parked};
use crate::error::Result;
use crate::journal::{Entry, Lease, ParkedState, Position, ReadRequest};
use crate::message::Message;

/// Reading a journal in which nothing was written is no error.
pub async fn an_empty_journal_reads_as_empty(t: Fixture) -> Result<()> {
    let batch = t.read_after(Position::START).await?;
    assert!(batch.entries.is_empty());
    assert_eq!(t.journal.advance().await?, batch.upto);
    Ok(())
}

/// What was committed before can be read up to that position.
pub async fn advance_returns_the_newest_position_that_can_be_read(t: Fixture) -> Result<()> {
    t.write(different_orders(5)).await?;
    let newest = t.journal.advance().await?;
    let batch = t.read_after(Position::START).await?;
    assert_eq!(batch.entries.last().map(|entry| entry.position), Some(newest));
    assert_eq!(batch.upto, newest);
    Ok(())
}

/// A worker reads its own partitions alone.
pub async fn a_read_returns_only_the_partitions_asked_for(t: Fixture) -> Result<()> {
    let all = t.written(different_orders(60)).await?;
    let wanted = all[0].partition;
    let expected: Vec<_> = all.iter().filter(|entry| entry.partition == wanted).map(|e| e.message.id).collect();
    assert!(expected.len() < all.len(), "sixty keys lie in several partitions");
    let request = ReadRequest { partitions: vec![wanted], ..everything_after(Position::START) };
    assert_eq!(ids(&t.journal.read(&request).await?.entries), expected);
    let nothing = t.journal.read(&everything_after(Position::START)).await?;
    assert!(nothing.entries.is_empty(), "no partitions, no entries");
    Ok(())
}

/// A reader gets past messages of other partitions.
pub async fn upto_passes_over_what_was_not_asked_for(t: Fixture) -> Result<()> {
    let entry = t.written_one(order("1")).await?;
    let others = t.all_partitions().await?.into_iter().filter(|&partition| partition != entry.partition).collect();
    let request = ReadRequest { partitions: others, ..everything_after(Position::START) };
    let batch = t.journal.read(&request).await?;
    assert!(batch.entries.is_empty());
    assert_eq!(batch.upto, entry.position, "a lane without messages need not look at the same stretch again");
    Ok(())
}

/// Batches that follow each other have every entry once.
pub async fn reading_on_from_upto_sees_every_entry_once(t: Fixture) -> Result<()> {
    let all = t.written(different_orders(50)).await?;
    let wanted: Vec<_> =
        t.all_partitions().await?.into_iter().filter(|partition| partition.number() % 2 == 0).collect();
    let expected: Vec<_> = all.iter().filter(|e| wanted.contains(&e.partition)).map(|e| e.message.id).collect();
    let mut seen = Vec::new();
    let mut after = Position::START;
    loop {
        let request = ReadRequest { partitions: wanted.clone(), limit: 7, ..everything_after(after) };
        let batch = t.journal.read(&request).await?;
        assert!(batch.entries.len() <= 7, "no more than the limit");
        assert!(batch.entries.iter().all(|entry| after < entry.position && entry.position <= batch.upto));
        if batch.entries.is_empty() {
            break;
        }
        seen.extend(ids(&batch.entries));
        after = batch.upto;
    }
    assert_eq!(seen, expected);
    Ok(())
}

/// Nothing behind the upper end is returned.
pub async fn a_read_goes_no_further_than_its_upper_end(t: Fixture) -> Result<()> {
    let entries = t.written(orders("1", 5)).await?;
    let partitions = t.all_partitions().await?;
    let (after, until) = (entries[0].position, entries[3].position);
    let request = ReadRequest { partitions: partitions.clone(), until, ..everything_after(after) };
    let batch = t.journal.read(&request).await?;
    assert_eq!(ids(&batch.entries), ids(&entries[1..=3]));
    assert_eq!(batch.upto, until);
    let nothing = ReadRequest { partitions, until, ..everything_after(until) };
    let batch = t.journal.read(&nothing).await?;
    assert!(batch.entries.is_empty());
    assert_eq!(batch.upto, until);
    Ok(())
}

/// A batch is bounded in bytes.
pub async fn a_read_stops_at_its_bytes(t: Fixture) -> Result<()> {
    const BYTES: usize = 10_000;
    let large = || made(Message::builder("blob.stored", "blob", "1").payload(vec![7; 3_000], "x/y"));
    t.written((0..10).map(|_| large()).collect()).await?;
    let mut after = Position::START;
    let mut read = 0;
    while read < 10 {
        let partitions = t.all_partitions().await?;
        let request = ReadRequest { partitions, max_bytes: BYTES, ..everything_after(after) };
        let batch = t.journal.read(&request).await?;
        let weights: Vec<_> = batch.entries.iter().map(|entry| entry.message.weight()).collect();
        assert!(!weights.is_empty(), "reading goes on until everything is read");
        assert!(weights[..weights.len() - 1].iter().sum::<usize>() < BYTES, "it stops when so much is gathered");
        read += weights.len();
        after = batch.upto;
    }
    assert_eq!(read, 10);
    Ok(())
}

/// A message above the bound still gets through.
pub async fn the_first_entry_is_returned_whatever_it_weighs(t: Fixture) -> Result<()> {
    t.written(orders("1", 2)).await?;
    for max_bytes in [0, 1] {
        let partitions = t.all_partitions().await?;
        let request = ReadRequest { partitions, max_bytes, ..everything_after(Position::START) };
        assert_eq!(t.journal.read(&request).await?.entries.len(), 1);
    }
    Ok(())
}

/// The remaining time is measured by the store's clock.
pub async fn a_scheduled_message_says_how_long_until_it_is_due(t: Fixture) -> Result<()> {
    let now = crate::clock::now();
    let scheduled = |at| made(Message::builder("order.created", "order", "1").due_at(at));
    let in_an_hour = scheduled(now + SignedDuration::from_hours(1));
    let an_hour_ago = scheduled(now - SignedDuration::from_hours(1));
    let entries = t.written(vec![in_an_hour, an_hour_ago, order("1")]).await?;
    let due_in = entries[0].due_in.expect("not due yet");
    assert!(due_in <= Duration::from_secs(3_605) && due_in > Duration::from_secs(3_000), "{due_in:?}");
    assert_eq!(entries[1].due_in, None, "due already");
    assert_eq!(entries[2].due_in, None, "not scheduled");
    Ok(())
}

/// All messages of a key between two positions come back in order.
pub async fn reading_a_held_key_returns_its_span_in_order(t: Fixture) -> Result<()> {
    let entries = waiting_orders(&t).await?.0;
    let of_key: Vec<_> = entries.iter().filter(|entry| entry.message.aggregate_id == "1").collect();
    let held = hold(of_key[0], of_key[0].position, of_key[3].position);
    let read = t.journal.read_key(&"a".into(), of_key[0].partition, &held, 100).await?;
    let expected: Vec<_> = of_key[1..=3].iter().map(|entry| entry.message.id).collect();
    assert_eq!(ids(&read.entries), expected, "after the first, up to and with the fourth");
    let two = t.journal.read_key(&"a".into(), of_key[0].partition, &held, 2).await?;
    assert_eq!(ids(&two.entries), expected[..2], "no more than the limit");
    Ok(())
}

/// A delivery that is parked by itself is not read a second time.
pub async fn reading_a_held_key_leaves_out_what_is_parked_on_its_own(t: Fixture) -> Result<()> {
    let (entries, leases) = waiting_orders(&t).await?;
    let of_key: Vec<_> = entries.iter().filter(|entry| entry.message.aggregate_id == "1").collect();
    let last = of_key[of_key.len() - 1];
    let mut commit = parked("a", park(of_key[2], ParkedState::Scheduled), last, &leases);
    commit.hold = vec![hold(last, Position::START, last.position)];
    t.commit(&[commit.clone()]).await?;
    let read = t.journal.read_key(&"a".into(), last.partition, &commit.hold[0], 100).await?;
    let expected: Vec<_> = of_key.iter().filter(|e| e.position != of_key[2].position).map(|e| e.message.id).collect();
    assert_eq!(ids(&read.entries), expected);
    let elsewhere = t.journal.read_key(&"b".into(), last.partition, &commit.hold[0], 100).await?;
    assert_eq!(elsewhere.entries.len(), of_key.len(), "what is parked for one destination is not for another");
    Ok(())
}

/// Reading on from `upto` reaches the end of the span with every message once and in order, also where a message of the key was
/// written before one of another key and committed after it.
pub async fn reading_on_behind_a_held_key_misses_nothing_that_committed_late(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    t.write(orders("1", 2)).await?;
    let late = t.subject.begin(orders("1", 3)).await?;
    let other = t.write_beside(order("2")).await?;
    late.commit().await?;
    other.join_all().await.into_iter().collect::<Result<Vec<_>>>()?;
    t.write(orders("1", 2)).await?;
    let entries = t.read_all().await?;
    let of_key: Vec<_> = entries.iter().filter(|entry| entry.message.aggregate_id == "1").collect();
    let last = of_key[of_key.len() - 1];
    for limit in 1..=of_key.len() + 1 {
        let (mut held, mut read) = (hold(last, Position::START, last.position), Vec::new());
        while held.after < held.until {
            let batch = t.journal.read_key(&"a".into(), last.partition, &held, limit).await?;
            assert!(batch.upto > held.after && batch.entries.len() <= limit, "it gets on, by no more than the limit");
            held.after = batch.upto;
            read.extend(ids(&batch.entries));
        }
        assert_eq!(read, of_key.iter().map(|entry| entry.message.id).collect::<Vec<_>>(), "{limit} at a time");
    }
    Ok(())
}

/// Reading a key returns nothing of another tenant.
pub async fn a_key_of_another_tenant_is_another_key(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let of = |tenant| made(Message::builder("order.created", "order", "1").tenant(tenant));
    let entries = t.written(vec![order("1"), of("acme"), of("other"), of("acme")]).await?;
    let held = hold(&entries[1], Position::START, entries[3].position);
    let read = t.journal.read_key(&"a".into(), entries[1].partition, &held, 100).await?;
    assert_eq!(ids(&read.entries), [entries[1].message.id, entries[3].message.id]);
    let of_nobody = hold(&entries[0], Position::START, entries[3].position);
    let read = t.journal.read_key(&"a".into(), entries[0].partition, &of_nobody, 100).await?;
    assert_eq!(ids(&read.entries), [entries[0].message.id]);
    Ok(())
}

/// Five events of one order among others, two destinations, and all leases.
async fn waiting_orders(t: &Fixture) -> Result<(Vec<Entry>, Vec<Lease>)> {
    t.serve(&["a", "b"]).await?;
    let mut messages = Vec::new();
    for _ in 0..5 {
        messages.push(order("1"));
        messages.extend(different_orders(10).into_iter().filter(|message| message.aggregate_id != "1"));
    }
    let entries = t.written(messages).await?;
    let leases = t.lease_all("w").await?;
    Ok((entries, leases))
}

/// All there is, of no partition yet.
fn everything_after(after: Position) -> ReadRequest {
    ReadRequest { partitions: Vec::new(), after, until: Position::END, limit: 1_000, max_bytes: usize::MAX }
}
