//! What is parked: it comes back when its time has come, as it was, and holds nobody but its key.

use std::time::Duration;

use super::Fixture;
use super::fixture::eventually;
use super::making::{different_orders, hold, lane, lease_of, made, order, orders, park, parked, passed, unordered};
use crate::error::Result;
use crate::inspect::{Filter, Mode, Operation, Status};
use crate::journal::{Entry, LaneCommit, Lease, Park, ParkedState, Position};
use crate::message::Message;

const HOUR: Duration = Duration::from_secs(3_600);

/// State, attempts, error, progress and times survive the store.
pub async fn a_parked_delivery_comes_back_as_it_was(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    let progress = Some(b"\0 half \xff done".to_vec());
    let aside = Park { attempts: 4, suspicion: 2, progress: progress.clone(), ..park(&entry, ParkedState::Retrying) };
    t.commit(&[parked("a", aside, &entry, &leases)]).await?;
    let due = t.due("a").await?.deliveries;
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].state, due[0].holds), (ParkedState::Retrying, false));
    assert_eq!((due[0].attempts, due[0].suspicion), (4, 2));
    assert_eq!(due[0].progress, progress);
    assert_eq!((due[0].entry.position, due[0].entry.partition), (entry.position, entry.partition));
    assert!(due[0].entry.message == entry.message, "with its whole message");
    assert!(t.due_ids("b").await?.is_empty(), "parked for one destination only");
    Ok(())
}

/// A delivery is parked once or not at all.
pub async fn parking_again_replaces_and_unparking_removes(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    let lease = lease_of(&entry, &leases);
    t.commit(&[parked("a", park(&entry, ParkedState::Scheduled), &entry, &leases)]).await?;
    let again = Park { attempts: 9, holds: true, ..park(&entry, ParkedState::Retrying) };
    t.commit(&[LaneCommit { park: vec![again], ..lane("a", lease) }]).await?;
    let due = t.due("a").await?.deliveries;
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].state, due[0].attempts, due[0].holds), (ParkedState::Retrying, 9, true));
    t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease) }]).await?;
    assert!(t.due_ids("a").await?.is_empty());
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Delivered));
    Ok(())
}

/// Deliveries are due in the order of their times.
pub async fn due_deliveries_come_earliest_first(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let after = |n: usize, millis| Park {
        due_in: Some(Duration::from_millis(millis)),
        ..park(&entries[n], ParkedState::Retrying)
    };
    let commit =
        LaneCommit { park: vec![after(2, 0), after(1, 30), after(0, 60)], ..passed("a", &entries[2], &leases) };
    t.commit(&[commit]).await?;
    eventually("all three are due", || async { Ok(t.due_ids("a").await?.len() == 3) }).await?;
    let expected: Vec<_> = entries.iter().rev().map(|entry| entry.message.id).collect();
    assert_eq!(t.due_ids("a").await?, expected);
    let first = t.journal.due(&"a".into(), &t.all_partitions().await?, 1).await?;
    assert_eq!(first.deliveries[0].entry.message.id, expected[0], "a limit keeps the earliest");
    assert_eq!(first.deliveries.len(), 1);
    Ok(())
}

/// A worker sees what is due in its own partitions alone.
pub async fn only_the_partitions_asked_for_are_due(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(different_orders(60)).await?;
    let leases = t.lease_all("w").await?;
    let other = entries.iter().find(|e| e.partition != entries[0].partition).expect("two partitions are in use");
    for entry in [&entries[0], other] {
        t.commit(&[parked("a", park(entry, ParkedState::Retrying), entry, &leases)]).await?;
    }
    let due = t.journal.due(&"a".into(), &[other.partition], 10).await?.deliveries;
    assert_eq!(due.iter().map(|due| due.entry.position).collect::<Vec<_>>(), [other.position]);
    assert!(t.journal.due(&"a".into(), &[], 10).await?.deliveries.is_empty());
    Ok(())
}

/// A worker learns how long it may sleep.
pub async fn a_delivery_whose_time_has_not_come_says_how_long(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    let later = |n: usize, hours| Park { due_in: Some(hours * HOUR), ..park(&entries[n], ParkedState::Throttled) };
    let commit = LaneCommit { park: vec![later(0, 2), later(1, 1)], ..passed("a", &entries[1], &leases) };
    t.commit(&[commit]).await?;
    let batch = t.due("a").await?;
    assert!(batch.deliveries.is_empty());
    let next = batch.next_in.expect("something is due later");
    assert!(next <= HOUR && next > HOUR / 2, "the sooner one: {next:?}");
    Ok(())
}

/// Only an operator brings a dead delivery back.
pub async fn a_dead_delivery_is_never_due(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    for due_in in [None, Some(Duration::ZERO)] {
        let dead = Park { due_in, ..park(&entry, ParkedState::Dead) };
        t.commit(&[parked("a", dead, &entry, &leases)]).await?;
        let batch = t.due("a").await?;
        assert!(batch.deliveries.is_empty() && batch.next_in.is_none());
    }
    Ok(())
}

/// What waits behind another one becomes due by that one alone.
pub async fn a_delivery_without_a_time_is_not_due(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    let never = Park { due_in: None, ..park(&entry, ParkedState::Throttled) };
    t.commit(&[parked("a", never, &entry, &leases)]).await?;
    let batch = t.due("a").await?;
    assert!(batch.deliveries.is_empty() && batch.next_in.is_none());
    Ok(())
}

/// Retrying, scheduled and replayed deliveries become due by the store's clock.
pub async fn every_other_state_is_due_when_its_time_comes(t: Fixture) -> Result<()> {
    use ParkedState::{Awaiting, Discarding, Replay, Retrying, Scheduled, Throttled};
    let (entry, leases) = one_order(&t).await?;
    for state in [Retrying, Scheduled, Throttled, Awaiting, Replay, Discarding] {
        t.commit(&[parked("a", park(&entry, state), &entry, &leases)]).await?;
        let due = t.due("a").await?.deliveries;
        assert_eq!(due.iter().map(|due| due.state).collect::<Vec<_>>(), [state]);
    }
    Ok(())
}

/// A lane that opens knows which keys are held, and by what.
pub async fn a_held_key_comes_back_with_whether_it_has_a_head(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let lease = lease_of(&entries[0], &leases);
    let commit = with_head(&entries, ParkedState::Retrying, &leases);
    let held = commit.hold[0].clone();
    t.commit(&[commit]).await?;
    assert_eq!(t.open_one("a", lease).await?.held, [(held.clone(), true)]);
    assert!(t.open_one("b", lease).await?.held.is_empty(), "held at one destination only");

    let further = hold(&entries[0], entries[0].position, entries[2].position);
    let unpark = vec![entries[0].position];
    t.commit(&[LaneCommit { unpark, hold: vec![further.clone()], ..lane("a", lease) }]).await?;
    assert_eq!(t.open_one("a", lease).await?.held, [(further, false)], "holding again replaces");
    t.commit(&[LaneCommit { free: vec![held.key], ..lane("a", lease) }]).await?;
    assert!(t.open_one("a", lease).await?.held.is_empty());
    Ok(())
}

/// A key stays blocked behind its dead delivery.
pub async fn a_dead_head_is_still_a_head(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[with_head(&entries, ParkedState::Dead, &leases)]).await?;
    let state = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    assert!(state.held[0].1);
    Ok(())
}

/// Holding a key of one tenant does not hold the same key of another.
pub async fn keys_of_different_tenants_are_held_apart(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let of = |tenant| made(Message::builder("order.created", "order", "1").tenant(tenant));
    let entries = t.written(vec![of("acme"), of("other"), order("1")]).await?;
    let leases = t.lease_all("w").await?;
    for (n, state) in [ParkedState::Dead, ParkedState::Retrying, ParkedState::Retrying].into_iter().enumerate() {
        let mut commit = parked("a", park(&entries[n], state), &entries[n], &leases);
        if n == 0 {
            commit.park[0].holds = true;
            commit.hold = vec![hold(&entries[0], Position::START, entries[0].position)];
        }
        t.commit(&[commit]).await?;
    }
    let due = t.due_ids("a").await?;
    assert_eq!(due, [entries[1].message.id, entries[2].message.id], "the same key elsewhere is not held");
    Ok(())
}

/// A delivery of a held key is not due before its turn.
pub async fn what_does_not_hold_waits_while_its_key_is_held(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let mut commit = with_head(&entries[..2], ParkedState::Retrying, &leases);
    commit.park.push(park(&entries[2], ParkedState::Scheduled));
    let key = commit.hold[0].key.clone();
    t.commit(&[commit]).await?;
    assert_eq!(t.due_ids("a").await?, [entries[0].message.id], "the head goes first");
    let lease = lease_of(&entries[0], &leases);
    t.commit(&[LaneCommit { unpark: vec![entries[0].position], free: vec![key], ..lane("a", lease) }]).await?;
    assert_eq!(t.due_ids("a").await?, [entries[2].message.id]);
    Ok(())
}

/// Deliveries of other keys are due as if nothing were held.
pub async fn a_held_key_keeps_back_no_other_key(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(vec![order("1"), order("2"), unordered()]).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[with_head(&entries[..1], ParkedState::Dead, &leases)]).await?;
    for entry in &entries[1..] {
        t.commit(&[parked("a", park(entry, ParkedState::Retrying), entry, &leases)]).await?;
    }
    assert_eq!(t.due_ids("a").await?, [entries[1].message.id, entries[2].message.id]);
    Ok(())
}

/// A lane that has not heard of a discard cannot undo it.
pub async fn what_was_discarded_stays_so_when_its_lane_parks_it_again(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    let later = Park { due_in: Some(HOUR), ..park(&entry, ParkedState::Retrying) };
    t.commit(&[parked("a", later.clone(), &entry, &leases)]).await?;
    t.inspect.operate(Operation::Discard, &Filter::default(), Mode::Apply).await?;
    t.commit(&[parked("a", later, &entry, &leases)]).await?;
    let due = t.due("a").await?.deliveries;
    assert_eq!(due.iter().map(|due| due.state).collect::<Vec<_>>(), [ParkedState::Discarding], "and is due at once");
    let lease = lease_of(&entry, &leases);
    t.commit(&[LaneCommit { discard: vec![entry.position], ..lane("a", lease) }]).await?;
    assert!(t.due_ids("a").await?.is_empty(), "the lane took note");
    Ok(())
}

async fn one_order(t: &Fixture) -> Result<(Entry, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    Ok((t.written_one(order("1")).await?, t.lease_all("w").await?))
}

/// Passes all entries of one key; the first is parked and holds the others.
fn with_head(entries: &[Entry], state: ParkedState, leases: &[Lease]) -> LaneCommit {
    let last = &entries[entries.len() - 1];
    let head = Park { holds: true, ..park(&entries[0], state) };
    LaneCommit { hold: vec![hold(&entries[0], Position::START, last.position)], ..parked("a", head, last, leases) }
}
