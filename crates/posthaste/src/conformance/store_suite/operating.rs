//! What an operator does to deliveries: replay and discard. Lanes pick it up by `due`; cursors are never touched.

use std::time::Duration;

use super::Fixture;
use super::making::{hold, ids, lane, lease_of, made, order, orders, park, parked, passed};
use crate::error::Result;
use crate::inspect::{Filter, Mode, Operation, OperationReport, Status};
use crate::journal::{Due, Entry, LaneCommit, Lease, Park, ParkedState, Position};
use crate::message::Message;

const HOUR: Duration = Duration::from_secs(3_600);

/// An operation that is not applied leaves the store as it was.
pub async fn a_dry_run_counts_and_changes_nothing(t: Fixture) -> Result<()> {
    let (entries, leases) = of_every_status(&t).await?;
    let state = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    let listed = t.list(&Filter::default()).await?;
    for operation in [Operation::Replay, Operation::Discard] {
        t.inspect.operate(operation, &Filter::default(), Mode::DryRun).await?;
    }
    assert_eq!(t.list(&Filter::default()).await?, listed);
    let now = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    assert_eq!((now.cursor, now.held), (state.cursor, state.held));
    Ok(())
}

/// The count before and the count after are the same.
pub async fn a_dry_run_counts_what_applying_does(t: Fixture) -> Result<()> {
    of_every_status(&t).await?;
    let replay = OperationReport { affected: 8, not_applicable: 4, overtaken: 0 };
    let all = Filter::default();
    assert_eq!(t.inspect.operate(Operation::Replay, &all, Mode::DryRun).await?, replay);
    let discard = OperationReport { affected: 7, not_applicable: 5, overtaken: 0 };
    assert_eq!(t.inspect.operate(Operation::Discard, &all, Mode::DryRun).await?, discard);
    assert_eq!(t.inspect.operate(Operation::Replay, &all, Mode::Apply).await?, replay);
    Ok(())
}

/// Only the holder of a lease writes cursors and held keys.
pub async fn an_operation_touches_no_cursor_and_no_held_key(t: Fixture) -> Result<()> {
    let (entries, leases) = of_every_status(&t).await?;
    let before = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    for operation in [Operation::Replay, Operation::Discard] {
        t.inspect.operate(operation, &Filter::default(), Mode::Apply).await?;
        let after = t.open_one("a", lease_of(&entries[0], &leases)).await?;
        assert_eq!((&after.cursor, &after.held), (&before.cursor, &before.held));
    }
    Ok(())
}

/// A replay resets attempts and errors.
pub async fn a_replayed_failure_starts_anew(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    for state in [ParkedState::Dead, ParkedState::Retrying] {
        let spent = Park { attempts: 10, suspicion: 3, due_in: Some(HOUR), ..park(&entry, state) };
        t.commit(&[parked("a", spent, &entry, &leases)]).await?;
        replay(&t, &entry).await?;
        let due = due_one(&t, &entry).await?;
        assert_eq!((due.state, due.attempts, due.suspicion), (ParkedState::Retrying, 0, 0));
        let listed = t.list(&only(&entry)).await?.remove(0);
        assert_eq!((listed.status, listed.attempts, listed.error), (Some(Status::Retrying), 0, None));
    }
    Ok(())
}

/// What waits behind a replayed delivery goes on waiting for it.
pub async fn a_replayed_head_still_holds_its_key(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let head = Park { holds: true, ..park(&entries[0], ParkedState::Dead) };
    let held = hold(&entries[0], Position::START, entries[2].position);
    t.commit(&[LaneCommit { hold: vec![held.clone()], ..parked("a", head, &entries[2], &leases) }]).await?;
    replay(&t, &entries[0]).await?;
    assert!(due_one(&t, &entries[0]).await?.holds);
    let state = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    assert_eq!(state.held, [(held, true)]);
    assert_eq!(t.status("a", entries[1].message.id).await?, Some(Status::Waiting), "the others wait for it");
    Ok(())
}

/// Parts that were done before a failure are not done again.
pub async fn a_replayed_delivery_keeps_its_progress(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    let half = Park { progress: Some(b"half".to_vec()), ..park(&entry, ParkedState::Dead) };
    t.commit(&[parked("a", half, &entry, &leases)]).await?;
    replay(&t, &entry).await?;
    assert_eq!(due_one(&t, &entry).await?.progress.as_deref(), Some(&b"half"[..]), "what is done is not done again");
    Ok(())
}

/// A replay does not wait for the time of the next attempt.
pub async fn replaying_what_waits_for_its_time_makes_it_due(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    for state in [ParkedState::Scheduled, ParkedState::Throttled, ParkedState::Paused] {
        let later = Park { due_in: Some(HOUR), ..park(&entry, state) };
        t.commit(&[parked("a", later, &entry, &leases)]).await?;
        assert!(t.due_ids("a").await?.is_empty());
        replay(&t, &entry).await?;
        assert_eq!(due_one(&t, &entry).await?.state, state);
    }
    Ok(())
}

/// What a destination has got can be sent to it once more.
pub async fn a_delivered_message_can_be_replayed(t: Fixture) -> Result<()> {
    let (entry, leases) = one_order(&t).await?;
    t.commit(&[passed("a", &entry, &leases)]).await?;
    assert_eq!(replay(&t, &entry).await?, OperationReport { affected: 1, not_applicable: 0, overtaken: 0 });
    let due = due_one(&t, &entry).await?;
    assert_eq!((due.state, due.holds, due.attempts, due.suspicion), (ParkedState::Replay, false, 0, 0));
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Replay));
    let lease = lease_of(&entry, &leases);
    t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease) }]).await?;
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Delivered));
    Ok(())
}

/// A replay keeps the order of its messages.
pub async fn what_is_replayed_together_is_due_in_journal_order(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 5)).await?;
    let leases = t.lease_all("w").await?;
    let dead = entries.iter().rev().map(|entry| park(entry, ParkedState::Dead)).collect();
    t.commit(&[LaneCommit { park: dead, ..passed("a", &entries[4], &leases) }]).await?;
    t.inspect.operate(Operation::Replay, &Filter::default(), Mode::Apply).await?;
    assert_eq!(t.due_ids("a").await?, ids(&entries));
    Ok(())
}

/// The count says how many would arrive after newer messages of their key.
pub async fn a_replay_warns_of_what_was_overtaken(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(vec![order("1"), order("2"), order("1"), order("2")]).await?;
    let leases = t.lease_all("w").await?;
    let skipped = LaneCommit { park: vec![park(&entries[0], ParkedState::Dead)], ..passed("a", &entries[2], &leases) };
    t.commit(&[skipped]).await?;
    t.commit(&[passed("a", &entries[1], &leases)]).await?;
    let overtaken = async |entry: &Entry| -> Result<u64> {
        Ok(t.inspect.operate(Operation::Replay, &only(entry), Mode::DryRun).await?.overtaken)
    };
    assert_eq!(overtaken(&entries[0]).await?, 1, "a newer one of its key was delivered");
    assert_eq!(overtaken(&entries[2]).await?, 0, "it is the newest");
    assert_eq!(overtaken(&entries[1]).await?, 0, "the newer one is pending");
    let discard = t.inspect.operate(Operation::Discard, &only(&entries[0]), Mode::DryRun).await?;
    assert_eq!(discard.overtaken, 0, "only a replay arrives out of order");
    Ok(())
}

/// Newer messages of a key that this destination does not take are not counted.
pub async fn what_goes_elsewhere_overtakes_nothing(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let elsewhere = made(Message::builder("order.created", "order", "1").destination("b"));
    let entries = t.written(vec![order("1"), elsewhere]).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entries[1], &leases), passed("b", &entries[1], &leases)]).await?;
    let at_a = Filter { destination: Some("a".into()), ..only(&entries[0]) };
    assert_eq!(t.inspect.operate(Operation::Replay, &at_a, Mode::DryRun).await?.overtaken, 0);
    let at_b = Filter { destination: Some("b".into()), ..only(&entries[0]) };
    assert_eq!(t.inspect.operate(Operation::Replay, &at_b, Mode::DryRun).await?.overtaken, 1);
    Ok(())
}

/// A discarded delivery reaches its lane without delay, so that its key goes on.
pub async fn what_is_discarded_is_due_at_once_for_its_lane_to_settle(t: Fixture) -> Result<()> {
    use ParkedState::{Awaiting, Dead, Paused, Replay, Retrying, Scheduled, Throttled};
    let (entry, leases) = one_order(&t).await?;
    for state in [Dead, Retrying, Scheduled, Throttled, Paused, Awaiting, Replay] {
        let lease = lease_of(&entry, &leases);
        t.commit(&[LaneCommit { unpark: vec![entry.position], ..lane("a", lease) }]).await?;
        let later = Park { due_in: Some(HOUR), ..park(&entry, state) };
        t.commit(&[parked("a", later, &entry, &leases)]).await?;
        let report = t.inspect.operate(Operation::Discard, &only(&entry), Mode::Apply).await?;
        assert_eq!(report, OperationReport { affected: 1, not_applicable: 0, overtaken: 0 }, "{state:?}");
        assert_eq!(due_one(&t, &entry).await?.state, ParkedState::Discarding);
        assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Discarding));
    }
    Ok(())
}

/// A discarded delivery can be listed, and its key is free.
pub async fn what_was_discarded_stays_on_record_and_holds_nobody(t: Fixture) -> Result<()> {
    let (entries, leases) = discarded_head(&t).await?;
    let listed = t.list(&only(&entries[0])).await?.remove(0);
    assert_eq!((listed.status, listed.attempts), (Some(Status::Discarded), 7), "rather than delivered");
    assert!(t.due_ids("a").await?.is_empty());
    let state = t.open_one("a", lease_of(&entries[0], &leases)).await?;
    assert!(!state.held[0].1, "nothing stands at the head of its key");
    assert_eq!(t.journal.purge(Duration::ZERO, 10).await?.messages, 1, "its retention is that of any other");
    assert!(t.list(&only(&entries[0])).await?.is_empty());
    Ok(())
}

/// A discard can be taken back while the message is kept.
pub async fn what_was_discarded_can_be_replayed(t: Fixture) -> Result<()> {
    let (entries, leases) = discarded_head(&t).await?;
    let lease = lease_of(&entries[0], &leases);
    let key = entries[0].message.order_key().into_iter().collect();
    t.commit(&[LaneCommit { free: key, ..passed("a", &entries[1], &leases) }]).await?;
    assert_eq!(replay(&t, &entries[0]).await?, OperationReport { affected: 1, not_applicable: 0, overtaken: 1 });
    let due = due_one(&t, &entries[0]).await?;
    assert_eq!((due.state, due.holds, due.attempts), (ParkedState::Retrying, false, 0));
    t.commit(&[LaneCommit { discard: vec![entries[0].position], ..lane("a", lease) }]).await?;
    assert_eq!(t.due_ids("a").await?, ids(&entries[..1]), "a lane that is late with its note takes nothing back");
    Ok(())
}

/// Two events of an order, of which the first was dead at the head of its key, was discarded, and was settled by its lane.
async fn discarded_head(t: &Fixture) -> Result<(Vec<Entry>, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    let lease = lease_of(&entries[0], &leases);
    let head = Park { holds: true, attempts: 7, ..park(&entries[0], ParkedState::Dead) };
    let held = hold(&entries[0], Position::START, entries[1].position);
    t.commit(&[LaneCommit { hold: vec![held], ..parked("a", head, &entries[1], &leases) }]).await?;
    t.inspect.operate(Operation::Discard, &only(&entries[0]), Mode::Apply).await?;
    assert_eq!(replay(t, &entries[0]).await?.not_applicable, 1, "its lane is about to let it go");
    let further = hold(&entries[0], entries[0].position, entries[1].position);
    t.commit(&[LaneCommit { discard: vec![entries[0].position], hold: vec![further], ..lane("a", lease) }]).await?;
    Ok((entries, leases))
}

/// Deliveries outside of the filter stay as they are.
pub async fn an_operation_touches_only_what_its_filter_selects(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    for name in ["a", "b"] {
        let dead = entries.iter().map(|entry| park(entry, ParkedState::Dead)).collect();
        t.commit(&[LaneCommit { park: dead, ..passed(name, &entries[1], &leases) }]).await?;
    }
    let filter = Filter { destination: Some("b".into()), ..only(&entries[1]) };
    let report = t.inspect.operate(Operation::Replay, &filter, Mode::Apply).await?;
    assert_eq!((report.affected, report.not_applicable), (1, 0));
    assert!(t.due_ids("a").await?.is_empty());
    assert_eq!(t.due_ids("b").await?, [entries[1].message.id]);
    Ok(())
}

/// One order's events, one in each status, none of which holds the key.
async fn of_every_status(t: &Fixture) -> Result<(Vec<Entry>, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 12)).await?;
    let leases = t.lease_all("w").await?;
    let park: Vec<Park> = entries[1..].iter().zip(ParkedState::ALL).map(|(e, state)| park(e, state)).collect();
    let held = hold(&entries[0], entries[0].position, entries[10].position);
    t.commit(&[LaneCommit { park, hold: vec![held], ..passed("a", &entries[10], &leases) }]).await?;
    Ok((entries, leases))
}

async fn one_order(t: &Fixture) -> Result<(Entry, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    Ok((t.written_one(order("1")).await?, t.lease_all("w").await?))
}

fn only(entry: &Entry) -> Filter {
    Filter { ids: vec![entry.message.id], ..Filter::default() }
}

async fn replay(t: &Fixture, entry: &Entry) -> Result<OperationReport> {
    t.inspect.operate(Operation::Replay, &only(entry), Mode::Apply).await
}

async fn due_one(t: &Fixture, entry: &Entry) -> Result<Due> {
    let due = t.due("a").await?.deliveries;
    let found = due.into_iter().find(|due| due.entry.position == entry.position);
    Ok(found.expect("the delivery is due"))
}
