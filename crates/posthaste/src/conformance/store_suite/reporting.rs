//! Everything about one message, and the whole store at a glance.

use std::time::Duration;

use super::Fixture;
use super::fixture::{LONG, SHORT, eventually, worker};
use super::making::{hold, lane, lease_of, made, order, orders, park, parked, passed, settled};
use crate::error::Result;
use crate::inspect::{DeliveryReport, Status};
use crate::journal::{Attempt, DestinationReport, Entry, LaneCommit, Park, ParkedState, Position, WorkerReport};
use crate::message::{Message, MessageId};
use crate::sink::{MAX_ERROR_BYTES, MAX_REPLY_BYTES};

/// Asking for an id that was never written is no error.
pub async fn an_unknown_message_is_none(t: Fixture) -> Result<()> {
    t.write(vec![order("1")]).await?;
    assert!(t.inspect.get(MessageId::generate()).await?.is_none());
    Ok(())
}

/// One question answers what a message is and where it stands.
pub async fn a_report_has_the_message_its_place_and_every_delivery(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("b", &entry, &leases)]).await?;
    let report = t.inspect.get(entry.message.id).await?.expect("the message is there");
    assert_eq!((report.position, report.partition), (entry.position, entry.partition));
    let mut deliveries: Vec<_> = report.deliveries.iter().map(|one| (one.destination.as_str(), one.status)).collect();
    deliveries.sort();
    assert_eq!(deliveries, [("a", Status::Pending), ("b", Status::Delivered)]);
    Ok(())
}

/// A report has attempts, error and the next time of a parked delivery.
pub async fn a_report_shows_what_is_parked(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    let aside = Park { attempts: 5, suspicion: 4, ..park(&entry, ParkedState::Retrying) };
    t.commit(&[parked("a", aside, &entry, &leases)]).await?;
    let delivery = delivery(&t, entry.message.id).await?;
    assert_eq!((delivery.status, delivery.attempts, delivery.deaths), (Status::Retrying, 5, 2));
    assert_eq!(delivery.error.as_deref(), Some("refused"));
    assert!(delivery.due_at.is_some());
    Ok(())
}

/// Error texts up to their bound are stored whole.
pub async fn the_timeline_keeps_what_a_server_said_at_full_length(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    let said = "ä".repeat(MAX_ERROR_BYTES / 2);
    let attempt =
        Attempt { position: entry.position, number: 1, error: Some(said.clone()), took: Duration::ZERO, reply: None };
    t.commit(&[LaneCommit { attempts: vec![attempt], ..lane("a", lease_of(&entry, &leases)) }]).await?;
    let timeline = delivery(&t, entry.message.id).await?.timeline;
    assert!(timeline[0].error.as_deref() == Some(&said), "it is not what was written");
    Ok(())
}

/// What a receiver said is stored whole, up to its bound.
pub async fn the_timeline_keeps_what_a_receiver_replied(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    let said = "ä".repeat(MAX_REPLY_BYTES / 2);
    let tried = |entry: &Entry, reply: Option<String>| Attempt {
        position: entry.position,
        number: 1,
        error: None,
        took: Duration::ZERO,
        reply,
    };
    let attempts = vec![tried(&entries[0], Some(said.clone())), tried(&entries[1], None)];
    let cursor = settled(entries[1].position);
    t.commit(&[LaneCommit { attempts, cursor, ..lane("a", lease_of(&entries[0], &leases)) }]).await?;
    let timeline = delivery(&t, entries[0].message.id).await?.timeline;
    assert!(timeline[0].reply.as_deref() == Some(&said), "it is not what was written");
    assert_eq!(delivery(&t, entries[1].message.id).await?.timeline[0].reply, None);
    Ok(())
}

/// Failed attempts are kept one by one.
pub async fn the_timeline_has_every_recorded_attempt_in_order(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("walker").await?;
    let tried = |number, error: Option<&str>| Attempt {
        position: entries[0].position,
        number,
        error: error.map(Into::into),
        took: Duration::from_millis(u64::from(number) * 10),
        reply: None,
    };
    let lane = || lane("a", lease_of(&entries[0], &leases));
    t.commit(&[LaneCommit { attempts: vec![tried(1, Some("no")), tried(2, Some("not yet"))], ..lane() }]).await?;
    t.commit(&[LaneCommit { attempts: vec![tried(3, None)], cursor: settled(entries[0].position), ..lane() }]).await?;
    let timeline = delivery(&t, entries[0].message.id).await?.timeline;
    let shown: Vec<_> = timeline.iter().map(|one| (one.number, one.took_ms, one.error.as_deref())).collect();
    assert_eq!(shown, [(1, 10, Some("no")), (2, 20, Some("not yet")), (3, 30, None)]);
    assert!(timeline.iter().all(|one| one.worker == "walker"));
    assert!(timeline.is_sorted_by_key(|one| one.at));
    assert!(delivery(&t, entries[1].message.id).await?.timeline.is_empty(), "another message has its own");
    Ok(())
}

/// A report names the delivery at the head of the key.
pub async fn a_waiting_message_says_what_it_is_behind(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let head = Park { holds: true, ..park(&entries[0], ParkedState::Dead) };
    let held = hold(&entries[0], Position::START, entries[2].position);
    t.commit(&[LaneCommit { hold: vec![held], ..parked("a", head, &entries[2], &leases) }]).await?;
    let behind = delivery(&t, entries[2].message.id).await?.behind.expect("it waits");
    assert_eq!((behind.id, behind.status), (Some(entries[0].message.id), Some(Status::Dead)));
    assert_eq!(behind.error.as_deref(), Some("refused"));
    assert_eq!(delivery(&t, entries[0].message.id).await?.behind, None, "the head is behind nothing");

    let unpark = LaneCommit { unpark: vec![entries[0].position], ..lane("a", lease_of(&entries[0], &leases)) };
    t.commit(&[unpark]).await?;
    let behind = delivery(&t, entries[2].message.id).await?.behind.expect("it still waits");
    assert_eq!((behind.id, behind.status), (None, None), "its key is catching up");
    Ok(())
}

/// A report tells how far the lane is from the message.
pub async fn a_pending_message_says_how_many_come_before_it(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 4)).await?;
    assert_eq!(delivery(&t, entries[3].message.id).await?.ahead, Some(3));
    assert_eq!(delivery(&t, entries[0].message.id).await?.ahead, Some(0));
    t.commit(&[passed("a", &entries[1], &t.lease_all("w").await?)]).await?;
    assert_eq!(delivery(&t, entries[3].message.id).await?.ahead, Some(1));
    assert_eq!(delivery(&t, entries[0].message.id).await?.ahead, None, "delivered");
    Ok(())
}

/// A report tells which worker would deliver the message.
pub async fn a_report_names_the_holder_of_the_partition(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let lease = async || Ok::<_, crate::Error>(t.inspect.get(entry.message.id).await?.and_then(|report| report.lease));
    assert_eq!(lease().await?, None, "nobody holds it yet");
    let partitions = usize::from(t.journal.partitions().await?);
    let leases = t.journal.lease(&worker("w"), SHORT, partitions).await?.leases;
    let said = WorkerReport { destinations: vec![DestinationReport { name: "a".into(), ..Default::default() }] };
    t.journal.renew(&worker("w"), SHORT, &leases, &said).await?;
    let shown = lease().await?.expect("it is held");
    let held = lease_of(&entry, &leases);
    assert_eq!((shown.partition, shown.worker.as_str(), shown.epoch), (held.partition, "w", held.epoch));
    assert_eq!(shown.report, Some(said));
    eventually("the lease shows as expired", || async { Ok(lease().await?.is_some_and(|lease| lease.expired)) }).await
}

/// Counts of each state add up for each destination.
pub async fn the_overview_counts_every_state(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 12)).await?;
    let leases = t.lease_all("w").await?;
    let park: Vec<Park> = entries[1..].iter().zip(ParkedState::ALL).map(|(e, state)| park(e, state)).collect();
    let held = hold(&entries[0], entries[0].position, entries[10].position);
    t.commit(&[LaneCommit { park, hold: vec![held], ..passed("a", &entries[10], &leases) }]).await?;
    let overview = t.inspect.overview().await?;
    assert_eq!((overview.messages, overview.newest), (12, entries[11].position));
    assert_eq!(overview.partitions, t.journal.partitions().await?);
    let of = |name: &str| overview.destinations.iter().find(|one| one.destination == name).cloned().expect("counted");
    let (a, b) = (of("a"), of("b"));
    assert_eq!((a.pending, a.waiting, a.retrying, a.scheduled), (1, 1, 1, 1));
    assert_eq!((a.throttled, a.awaiting, a.dead, a.replay, a.held_keys), (1, 1, 1, 1, 1));
    assert_eq!((b.pending, b.waiting, b.dead, b.held_keys), (12, 0, 0, 0));
    assert_eq!((a.paused_deliveries, b.paused_deliveries), (1, 0));
    assert!(!a.paused && !b.paused);
    Ok(())
}

/// Messages that a route leaves out are not pending.
pub async fn the_overview_counts_only_what_a_destination_takes(t: Fixture) -> Result<()> {
    t.serve_routed(&[("a", "order.*")]).await?;
    let named = |name: &str| made(Message::builder("order.created", "order", "1").destination(name));
    t.write(vec![order("1"), made(Message::builder("invoice.sent", "order", "1")), named("b"), named("a")]).await?;
    assert_eq!(t.inspect.overview().await?.destinations[0].pending, 2);
    Ok(())
}

/// Lag is measured by the store's clock.
pub async fn the_overview_knows_the_age_of_the_oldest_pending_message(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let age = async || Ok::<_, crate::Error>(t.inspect.overview().await?.destinations[0].oldest_pending_seconds);
    assert_eq!(age().await?, None, "nothing is pending");
    let entry = t.written_one(order("1")).await?;
    eventually("it grows older", || async { Ok(age().await?.is_some_and(|seconds| seconds > 0.02)) }).await?;
    assert!(age().await?.is_some_and(|seconds| seconds < 60.0));
    t.commit(&[passed("a", &entry, &t.lease_all("w").await?)]).await?;
    assert_eq!(age().await?, None);
    Ok(())
}

/// Workers and their partitions are listed.
pub async fn the_overview_shows_who_is_alive_and_what_they_hold(t: Fixture) -> Result<()> {
    let partitions = usize::from(t.journal.partitions().await?);
    assert_eq!(t.inspect.overview().await?.unheld_partitions, partitions);
    t.journal.lease(&worker("silent"), SHORT, 1).await?;
    let held = t.journal.lease(&worker("busy"), LONG, 2).await?.leases;
    let said = WorkerReport { destinations: vec![DestinationReport { in_flight: 3, ..Default::default() }] };
    t.journal.renew(&worker("busy"), LONG, &held, &said).await?;
    eventually("the silent worker is gone, and what it held is free", || async {
        let overview = t.inspect.overview().await?;
        let is_gone = overview.workers.iter().all(|one| one.worker != "silent" || !one.alive);
        Ok(is_gone && overview.unheld_partitions == partitions - 2)
    })
    .await?;
    let overview = t.inspect.overview().await?;
    let busy = overview.workers.iter().find(|one| one.worker == "busy").expect("it is alive");
    assert_eq!((busy.alive, busy.partitions, busy.report.as_ref()), (true, 2, Some(&said)));
    t.journal.release(&worker("busy"), &held, true).await?;
    let overview = t.inspect.overview().await?;
    assert!(overview.workers.iter().all(|one| one.worker != "busy" || !one.alive));
    assert_eq!(overview.unheld_partitions, partitions);
    Ok(())
}

async fn delivery(t: &Fixture, id: MessageId) -> Result<DeliveryReport> {
    let report = t.inspect.get(id).await?.expect("the message is there");
    Ok(report.deliveries.into_iter().next().expect("a destination takes it"))
}
