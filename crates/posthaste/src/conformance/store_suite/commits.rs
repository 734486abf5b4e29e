//! What a lane records is kept whole, only while its lease holds, and once however often it is sent.

use std::time::Duration;

use tokio::task::JoinSet;

use super::Fixture;
use super::fixture::{LONG, SHORT, eventually, worker};
use super::leases::take_over;
use super::making::{different_orders, hold, lane, lease_of, made, order, orders, park, passed, settled};
use crate::error::Result;
use crate::inspect::Status;
use crate::journal::{Attempt, Cursor, Entry, LaneCommit, Lease, ParkedState, Position};
use crate::message::Message;

/// A lane that opens finds the cursor that was committed last.
pub async fn a_cursor_comes_back_as_it_was_committed(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 6)).await?;
    let lease = lease_of(&entries[0], &t.lease_all("w").await?);
    let cursor = Cursor { low: entries[1].position, done: vec![entries[3].position, entries[5].position] };
    t.commit(&[LaneCommit { cursor: Some(cursor.clone()), ..lane("a", lease) }]).await?;
    let state = t.open_one("a", lease).await?;
    assert_eq!((state.partition, state.cursor), (lease.partition, cursor));
    assert_eq!(t.open_one("b", lease).await?.cursor, Cursor::default(), "another destination has its own");

    t.commit(&[LaneCommit { cursor: settled(entries[5].position), ..lane("a", lease) }]).await?;
    assert_eq!(t.open_one("a", lease).await?.cursor, settled(entries[5].position).unwrap_or_default());
    Ok(())
}

/// Thousands of settled places beyond a cursor come back complete.
pub async fn what_is_done_beyond_a_cursor_may_be_much(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3_000)).await?;
    let lease = lease_of(&entries[0], &t.lease_all("w").await?);
    let done: Vec<_> = entries.iter().skip(1).step_by(2).map(|entry| entry.position).collect();
    let cursor = Cursor { low: Position::START, done };
    t.commit(&[LaneCommit { cursor: Some(cursor.clone()), ..lane("a", lease) }]).await?;
    assert_eq!(t.open_one("a", lease).await?.cursor, cursor);
    assert_eq!(t.status("a", entries[1].message.id).await?, Some(Status::Delivered));
    assert_eq!(t.status("a", entries[2].message.id).await?, Some(Status::Pending));
    Ok(())
}

/// A commit that only parks does not move the cursor.
pub async fn a_commit_without_a_cursor_leaves_it_where_it_is(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entries[0], &leases)]).await?;
    let lease = lease_of(&entries[0], &leases);
    t.commit(&[LaneCommit { park: vec![park(&entries[1], ParkedState::Retrying)], ..lane("a", lease) }]).await?;
    assert_eq!(t.open_one("a", lease).await?.cursor.low, entries[0].position);
    t.commit(&[]).await
}

/// A worker whose partition another one has taken is refused, and nothing of its commit is stored.
pub async fn a_lost_lease_commits_nothing(t: Fixture) -> Result<()> {
    let (entries, lost, taken) = taken_over(&t).await?;
    let refused = t.journal.commit(&[whole(&entries, lost)]).await?;
    assert_eq!(refused, [lost.partition]);
    assert_untouched(&t, &entries, taken).await
}

/// What a commit writes for the dead-letter destination is there with the rest of it, once however often it is sent, and not at all if
/// the lease is lost.
pub async fn letters_are_stored_with_their_commit_once_or_not_at_all(t: Fixture) -> Result<()> {
    let (entries, lost, taken) = taken_over(&t).await?;
    let builder = Message::builder("order.created", "order", "letter")
        .destination("dead")
        .header("dead-letter-reason", "rejected");
    let letter = made(builder.origin("posthaste.dead.a", "1"));
    let dead = |lease| LaneCommit {
        park: vec![park(&entries[0], ParkedState::Dead)],
        letters: vec![letter.clone()],
        ..lane("a", lease)
    };
    assert_eq!(t.journal.commit(&[dead(lost)]).await?, [lost.partition]);
    assert!(t.inspect.get(letter.id).await?.is_none(), "refused like the rest");
    for _ in 0..2 {
        t.commit(&[dead(taken)]).await?;
    }
    assert_eq!(t.status("a", entries[0].message.id).await?, Some(Status::Dead));
    t.journal.advance().await?;
    let all = t.read_all().await?;
    let found: Vec<_> = all.iter().filter(|entry| entry.message.id == letter.id).collect();
    assert_eq!(found.iter().map(|entry| &*entry.message).collect::<Vec<_>>(), [&letter]);
    Ok(())
}

/// Only the current epoch may write; a higher one is refused like a lower one.
pub async fn an_epoch_from_the_future_commits_nothing(t: Fixture) -> Result<()> {
    let (entries, _, taken) = taken_over(&t).await?;
    let wrong = Lease { epoch: taken.epoch.next(), ..taken };
    assert_eq!(t.journal.commit(&[whole(&entries, wrong)]).await?, [taken.partition]);
    assert_untouched(&t, &entries, taken).await
}

/// A worker that released its lease is refused, although nobody else holds the partition.
pub async fn a_lease_that_was_given_back_commits_nothing(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let lease = lease_of(&entries[0], &leases);
    t.journal.release(&worker("w"), &leases, false).await?;
    assert_eq!(t.journal.commit(&[whole(&entries, lease)]).await?, [lease.partition]);
    let again = lease_of(&entries[0], &t.lease_all("w").await?);
    assert_untouched(&t, &entries, again).await
}

/// The fence is the epoch alone: the work was done, and nobody else is at it.
pub async fn an_expired_lease_that_nobody_took_still_commits(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let partitions = usize::from(t.journal.partitions().await?);
    let leases = t.journal.lease(&worker("late"), Duration::from_millis(1), partitions).await?.leases;
    eventually("the lease expires", || async {
        let report = t.inspect.get(entry.message.id).await?.expect("the message is there");
        Ok(report.lease.is_some_and(|lease| lease.expired))
    })
    .await?;
    t.commit(&[passed("a", &entry, &leases)]).await?;
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Delivered));
    Ok(())
}

/// Of a commit for several lanes, those whose lease is held are stored.
pub async fn a_refused_lane_leaves_the_others_alone(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(different_orders(60)).await?;
    let leases = t.lease_all("w").await?;
    let first = &entries[0];
    let other = entries.iter().find(|entry| entry.partition != first.partition).expect("two partitions are in use");
    let held = lease_of(first, &leases);
    let wrong = Lease { epoch: held.epoch.next(), ..held };
    let refused = t
        .journal
        .commit(&[
            passed("a", other, &leases),
            passed("a", first, &[wrong]),
            passed("b", other, &leases),
            passed("b", first, &leases),
        ])
        .await?;
    assert_eq!(refused, [first.partition]);
    for (destination, entry, expected) in [
        ("a", other, Status::Delivered),
        ("a", first, Status::Pending),
        ("b", other, Status::Delivered),
        ("b", first, Status::Delivered),
    ] {
        let status = t.status(destination, entry.message.id).await?;
        assert_eq!(status, Some(expected), "{destination} at {}", entry.position);
    }
    Ok(())
}

/// A commit whose answer was lost can be sent again.
pub async fn a_repeated_commit_is_the_same_as_one(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let lease = lease_of(&entries[0], &t.lease_all("w").await?);
    let commit = whole(&entries, lease);
    t.commit(std::slice::from_ref(&commit)).await?;
    let (once, due_once) = (t.open_one("a", lease).await?, t.due_ids("a").await?);
    t.commit(&[commit.clone(), commit]).await?;
    assert_eq!(t.open_one("a", lease).await?, once);
    assert_eq!(t.due_ids("a").await?, due_once);
    let report = t.inspect.get(entries[0].message.id).await?.expect("the message is there");
    assert_eq!(report.deliveries[0].timeline.len(), 1, "an attempt is recorded once");
    Ok(())
}

/// Commits of different partitions all succeed, however many come at once.
pub async fn many_workers_commit_at_once(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(different_orders(40)).await?;
    let leases = t.lease_all("w").await?;
    let mut workers = JoinSet::new();
    for n in 0..8 {
        let journal = t.subject.reopen().await?;
        let mine = entries.iter().filter(|entry| entry.partition.number() % 8 == n);
        let steps: Vec<_> = mine.map(|entry| passed("a", entry, &leases)).collect();
        workers.spawn(async move {
            for step in steps {
                assert!(journal.commit(&[step]).await?.is_empty(), "the lease is held");
            }
            Ok::<_, crate::Error>(())
        });
    }
    t.write(orders("1", 3)).await?;
    while let Some(ended) = workers.join_next().await {
        ended.expect("a worker does not panic")?;
    }
    for entry in &entries {
        assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Delivered));
    }
    Ok(())
}

/// Once a lane was opened under a new epoch, no commit under the old one is stored.
pub async fn what_a_new_holder_opened_with_is_never_changed_by_the_one_before(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 500)).await?;
    let partitions = usize::from(t.journal.partitions().await?);
    let lost = lease_of(&entries[0], &t.journal.lease(&worker("zombie"), SHORT, partitions).await?.leases);
    let zombie = t.subject.reopen().await?;
    let mut zombies = JoinSet::new();
    let steps: Vec<_> = entries.iter().map(|entry| passed("a", entry, &[lost])).collect();
    zombies.spawn(async move {
        for step in steps.iter().cycle() {
            if !zombie.commit(std::slice::from_ref(step)).await?.is_empty() {
                break;
            }
            tokio::task::yield_now().await;
        }
        Ok::<_, crate::Error>(())
    });
    let taken = take_over(&t, "next", lost).await?;
    let opened = t.open_one("a", taken).await?;
    while let Some(ended) = zombies.join_next().await {
        ended.expect("the zombie does not panic")?;
    }
    assert_eq!(t.open_one("a", taken).await?, opened);
    Ok(())
}

/// Opening with a lease that was lost returns no lane.
pub async fn a_lane_opens_only_for_a_lease_that_is_held(t: Fixture) -> Result<()> {
    let (_, lost, taken) = taken_over(&t).await?;
    assert!(t.journal.open(&"a".into(), &[lost]).await?.is_empty());
    let states = t.journal.open(&"a".into(), &[lost, taken]).await?;
    assert_eq!(states.iter().map(|state| state.partition).collect::<Vec<_>>(), [taken.partition]);
    assert!(t.journal.open(&"a".into(), &[]).await?.is_empty());
    Ok(())
}

/// Three events of one order in a partition that changed hands because its lease expired.
async fn taken_over(t: &Fixture) -> Result<(Vec<Entry>, Lease, Lease)> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let partitions = usize::from(t.journal.partitions().await?);
    let lost = lease_of(&entries[0], &t.journal.lease(&worker("lost"), SHORT, partitions).await?.leases);
    let taken = take_over(t, "next", lost).await?;
    assert_eq!(t.renew("next", LONG, &[taken]).await?, [taken.partition]);
    Ok((entries, lost, taken))
}

/// A commit with something of everything: the first is parked and holds its key, the others wait.
fn whole(entries: &[Entry], lease: Lease) -> LaneCommit {
    let (first, last) = (&entries[0], &entries[entries.len() - 1]);
    let mut head = park(first, ParkedState::Retrying);
    head.holds = true;
    let failure = Attempt {
        position: first.position,
        number: 1,
        error: Some("refused".into()),
        took: Duration::from_millis(12),
        reply: None,
    };
    LaneCommit {
        cursor: settled(last.position),
        park: vec![head],
        hold: vec![hold(first, Position::START, last.position)],
        attempts: vec![failure],
        ..lane("a", lease)
    }
}

async fn assert_untouched(t: &Fixture, entries: &[Entry], lease: Lease) -> Result<()> {
    let state = t.open_one("a", lease).await?;
    assert_eq!(state.cursor, Cursor::default());
    assert!(state.held.is_empty());
    assert!(t.due_ids("a").await?.is_empty());
    let report = t.inspect.get(entries[0].message.id).await?.expect("the message is there");
    assert_eq!(report.deliveries[0].status, Status::Pending);
    assert!(report.deliveries[0].timeline.is_empty());
    Ok(())
}
