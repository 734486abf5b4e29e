//! One reader per source, and its checkpoint moves with what it stored.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Fixture;
use super::fixture::{LONG, SHORT, eventually, worker};
use super::making::order;
use crate::destination::Name;
use crate::error::{Kind, Result};
use crate::inspect::{SourceChange, SourceStatus};
use crate::journal::{Enqueued, Epoch, Ingest, SourceGrant, SourceLease, SourceReport, SourceState, Tally};
use crate::message::{Message, Origin};
use crate::source::Checkpoint;

/// While one worker reads a source, another one does not get it, whatever it says.
pub async fn a_source_has_one_reader(t: Fixture) -> Result<()> {
    let first = taken(&t, "first", LONG).await?;
    assert_eq!((first.checkpoint, first.epoch), (None, Epoch::new(1)));
    assert_eq!(lease(&t, "second", LONG, None).await?, SourceGrant::default());
    assert_eq!(lease(&t, "second", LONG, Some(first.epoch)).await?.lease, None, "knowing the epoch is not holding it");
    assert_eq!(lease(&t, "first", LONG, None).await?.lease, None, "a worker restarted under its name waits");
    let other = t.journal.lease_source(&worker("second"), &"b".into(), LONG, None, &SourceReport::default()).await?;
    assert!(other.lease.is_some(), "another source is another matter");
    Ok(())
}

/// Extending a lease keeps its epoch, moves its end, and tells others how it goes.
pub async fn extending_the_lease_of_a_source_keeps_its_epoch_and_its_report(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", SHORT).await?;
    let report = SourceReport {
        state: SourceState::Failing,
        error: Some("refused: ü".into()),
        behind_ms: Some(7),
        events_per_second: 9,
    };
    let kept = t.journal.lease_source(&worker("w"), &source(), LONG, Some(held.epoch), &report).await?;
    assert_eq!(kept.lease.map(|lease| lease.epoch), Some(held.epoch));
    tokio::time::sleep(SHORT * 2).await;
    assert_eq!(lease(&t, "other", LONG, None).await?.lease, None, "it lasts longer now");
    let status = status(&t).await?;
    assert_eq!((status.worker.as_deref(), status.held, status.report), (Some("w"), true, Some(report)));
    Ok(())
}

/// A source that was given back, or whose reader died, goes to another one under a higher epoch and at its checkpoint.
pub async fn a_source_goes_to_another_worker_when_its_lease_ends(t: Fixture) -> Result<()> {
    let first = taken(&t, "first", SHORT).await?;
    ingest(&t, "first", first.epoch, "1", vec![of("e1")]).await?;
    let second = eventually_taken(&t, "second").await?;
    assert!(second.epoch > first.epoch);
    assert_eq!(second.checkpoint, Some(at("1")));
    assert_eq!(lease(&t, "first", LONG, Some(first.epoch)).await?.lease, None, "it does not come back");
    t.journal.release_source(&worker("first"), &source(), first.epoch).await?;
    assert_eq!(lease(&t, "first", LONG, None).await?.lease, None, "nobody gives back what another one holds");
    t.journal.release_source(&worker("second"), &source(), second.epoch).await?;
    assert!(!status(&t).await?.held);
    assert!(taken(&t, "first", LONG).await?.epoch > second.epoch);
    Ok(())
}

/// What was made of events is in the journal with the checkpoint, in order, and counted.
pub async fn an_ingest_stores_messages_and_checkpoint_together(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    let stored = ingest(&t, "w", held.epoch, "C:2/P:2", vec![of("e1"), of("e2")]).await?;
    assert_eq!(stored, Some(Enqueued { stored: 2, duplicates: 0 }));
    let origins: Vec<_> = t.read_all().await?.iter().map(|entry| entry.message.origin.clone().unwrap().event).collect();
    assert_eq!(origins, ["e1", "e2"]);
    let status = status(&t).await?;
    assert_eq!(status.checkpoint, Some(at("C:2/P:2")));
    assert_eq!((status.events, status.stored, status.ignored, status.refused), (4, 2, 1, 1));
    assert_eq!(status.last_event.as_deref(), Some("stream-1/last"));
    assert!(status.moved_at.is_some());
    Ok(())
}

/// A stretch of the log that has nothing for us moves the checkpoint too.
pub async fn an_ingest_of_nothing_moves_the_checkpoint(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    let long = "9".repeat(Checkpoint::MAX_BYTES);
    assert_eq!(ingest(&t, "w", held.epoch, &long, Vec::new()).await?, Some(Enqueued::default()));
    assert_eq!(status(&t).await?.checkpoint, Some(at(&long)));
    assert!(t.read_all().await?.is_empty());
    Ok(())
}

/// Whoever lost a source stores nothing more of it, not even a checkpoint.
pub async fn an_ingest_of_one_who_lost_the_source_stores_nothing(t: Fixture) -> Result<()> {
    let lost = taken(&t, "lost", SHORT).await?;
    let next = eventually_taken(&t, "next").await?;
    assert_eq!(ingest(&t, "lost", lost.epoch, "9", vec![of("e9")]).await?, None);
    assert_eq!(ingest(&t, "lost", next.epoch, "9", vec![of("e9")]).await?, None, "under the epoch of another one");
    assert_eq!(ingest(&t, "next", next.epoch.next(), "9", vec![of("e9")]).await?, None, "under one from the future");
    assert_eq!(status(&t).await?.checkpoint, None);
    assert!(t.read_all().await?.is_empty());
    assert!(ingest(&t, "next", next.epoch, "1", vec![of("e1")]).await?.is_some());
    t.journal.release_source(&worker("next"), &source(), next.epoch).await?;
    assert_eq!(ingest(&t, "next", next.epoch, "2", vec![of("e2")]).await?, None, "it was given back");
    Ok(())
}

/// A reader that is late loses nothing unless somebody took the source.
pub async fn an_expired_source_that_nobody_took_still_ingests(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", SHORT).await?;
    tokio::time::sleep(SHORT * 2).await;
    assert!(ingest(&t, "w", held.epoch, "1", vec![of("e1")]).await?.is_some());
    Ok(())
}

/// Events that come again are left out, and the checkpoint moves all the same.
pub async fn a_repeated_ingest_stores_nothing_twice(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    ingest(&t, "w", held.epoch, "2", vec![of("e1"), of("e2")]).await?;
    let again = ingest(&t, "w", held.epoch, "3", vec![of("e1"), of("e2"), of("e3")]).await?;
    assert_eq!(again, Some(Enqueued { stored: 1, duplicates: 2 }));
    assert_eq!(t.read_all().await?.len(), 3);
    let status = status(&t).await?;
    assert_eq!((status.stored, status.duplicates, status.checkpoint), (3, 2, Some(at("3"))));
    Ok(())
}

/// Events of one key stand in the journal as they were read, over readers that take turns.
pub async fn events_keep_their_order_over_takeovers(t: Fixture) -> Result<()> {
    let mut wanted = Vec::new();
    for round in 0..6 {
        let (name, checkpoint) = (if round % 2 == 0 { "a" } else { "b" }, round.to_string());
        let held = taken(&t, name, LONG).await?;
        let events: Vec<String> = (0..5).map(|n| format!("{round}.{n}")).collect();
        ingest(&t, name, held.epoch, &checkpoint, events.iter().map(|event| of(event)).collect()).await?;
        t.journal.release_source(&worker(name), &source(), held.epoch).await?;
        wanted.extend(events);
    }
    let read: Vec<_> = t.read_all().await?.iter().map(|entry| entry.message.origin.clone().unwrap().event).collect();
    assert_eq!(read, wanted);
    Ok(())
}

/// Nobody reads a paused source, and whoever did stores nothing more.
pub async fn a_paused_source_goes_to_nobody_until_it_is_resumed(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    assert!(t.inspect.change_source(&source(), &SourceChange::Pause).await?);
    assert!(!t.inspect.change_source(&source(), &SourceChange::Pause).await?, "it is paused already");
    assert_eq!(ingest(&t, "w", held.epoch, "1", vec![of("e1")]).await?, None);
    assert_eq!(lease(&t, "w", LONG, Some(held.epoch)).await?, SourceGrant { lease: None, paused: true });
    assert!(status(&t).await?.paused);
    assert!(t.inspect.change_source(&source(), &SourceChange::Resume).await?);
    assert!(!t.inspect.change_source(&source(), &SourceChange::Resume).await?);
    assert!(taken(&t, "w", LONG).await?.epoch > held.epoch);
    Ok(())
}

/// A source that has stopped is taken away from its reader when a person resumes it.
pub async fn resuming_makes_a_stopped_source_begin_anew(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    let stopped = SourceReport { state: SourceState::Stopped, ..SourceReport::default() };
    t.journal.lease_source(&worker("w"), &source(), LONG, Some(held.epoch), &stopped).await?;
    assert!(t.inspect.change_source(&source(), &SourceChange::Resume).await?);
    assert_eq!(status(&t).await?.report, None);
    assert!(taken(&t, "w", LONG).await?.epoch > held.epoch);
    Ok(())
}

/// A source goes on where a person has put it, and its reader before cannot move it back.
pub async fn a_rewound_source_goes_on_there(t: Fixture) -> Result<()> {
    let held = taken(&t, "w", LONG).await?;
    ingest(&t, "w", held.epoch, "5", vec![of("e5")]).await?;
    assert!(t.inspect.change_source(&source(), &SourceChange::Rewind(Some(at("2")))).await?);
    assert_eq!(ingest(&t, "w", held.epoch, "6", vec![of("e6")]).await?, None);
    let next = taken(&t, "w", LONG).await?;
    assert_eq!(next.checkpoint, Some(at("2")));
    assert!(!t.inspect.change_source(&source(), &SourceChange::Rewind(Some(at("2")))).await?, "it stands there");
    assert!(t.inspect.change_source(&source(), &SourceChange::Rewind(None)).await?);
    assert_eq!(taken(&t, "w", LONG).await?.checkpoint, None);
    Ok(())
}

/// A source that nobody has read cannot be changed.
pub async fn a_source_that_was_never_read_is_not_found(t: Fixture) -> Result<()> {
    let error = t.inspect.change_source(&source(), &SourceChange::Pause).await.expect_err("nobody knows it");
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(t.inspect.sources().await?.is_empty());
    Ok(())
}

/// Of many who want a source at once, one gets it.
pub async fn eight_workers_at_once_never_share_a_source(t: Fixture) -> Result<()> {
    let barrier = Arc::new(Barrier::new(8));
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        let (store, barrier) = (t.store.clone(), Arc::clone(&barrier));
        tasks.spawn(async move {
            barrier.wait().await;
            let me = worker(&format!("w{n}"));
            Ok::<_, crate::Error>(store.lease_source(&me, &source(), LONG, None, &SourceReport::default()).await?.lease)
        });
    }
    let mut got = Vec::new();
    while let Some(lease) = tasks.join_next().await {
        got.extend(lease.expect("no task panics")?);
    }
    assert_eq!(got.len(), 1, "{got:?}");
    Ok(())
}

/// A reader and the one that takes over from it meet in the journal, again and again: nothing is stored twice, missing or out of order,
/// and the checkpoint is never ahead.
pub async fn a_takeover_in_the_middle_of_an_ingest_loses_and_repeats_nothing(t: Fixture) -> Result<()> {
    const EVENTS: usize = 60;
    let mut tasks = JoinSet::new();
    for n in 0..3 {
        let store = t.store.clone();
        tasks.spawn(async move {
            let me = worker(&format!("w{n}"));
            loop {
                let ttl = Duration::from_millis(5);
                let Some(held) = store.lease_source(&me, &source(), ttl, None, &SourceReport::default()).await?.lease
                else {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    continue;
                };
                let mut next = held.checkpoint.map_or(0, |at| at.as_str().parse::<usize>().expect("a number"));
                while next < EVENTS {
                    let messages = (next..(next + 4).min(EVENTS)).map(|n| of(&n.to_string())).collect::<Vec<_>>();
                    next += messages.len();
                    let ingest = making(&me.0, held.epoch, &next.to_string(), messages);
                    if store.ingest(&ingest).await?.is_none() {
                        break;
                    }
                }
                if next >= EVENTS {
                    return Ok::<_, crate::Error>(());
                }
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("no task panics")?;
    }
    let read: Vec<_> = t.read_all().await?.iter().map(|entry| entry.message.origin.clone().unwrap().event).collect();
    assert_eq!(read, (0..EVENTS).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_eq!(status(&t).await?.checkpoint, Some(at(&EVENTS.to_string())));
    Ok(())
}

fn source() -> Name {
    "payments".into()
}

fn at(checkpoint: &str) -> Checkpoint {
    Checkpoint::new(checkpoint).expect("a text")
}

/// A message of an event of one stream, which is its key.
fn of(event: &str) -> Message {
    Message { origin: Some(Origin { stream: "stream-1".into(), event: event.into() }), ..order("stream-1") }
}

fn making(name: &str, epoch: Epoch, checkpoint: &str, messages: Vec<Message>) -> Ingest {
    let (events, last_event) = (messages.len() as u64 + 2, Some("stream-1/last".into()));
    let tally = Tally { events, ignored: 1, refused: 1 };
    let (source, checkpoint) = (source(), at(checkpoint));
    Ingest { source, worker: worker(name), epoch, messages, checkpoint, tally, last_event, marking: None }
}

async fn ingest(
    t: &Fixture,
    name: &str,
    epoch: Epoch,
    checkpoint: &str,
    messages: Vec<Message>,
) -> Result<Option<Enqueued>> {
    let ingested = t.journal.ingest(&making(name, epoch, checkpoint, messages)).await?;
    Ok(ingested.map(|ingested| ingested.enqueued))
}

async fn lease(t: &Fixture, name: &str, ttl: Duration, held: Option<Epoch>) -> Result<SourceGrant> {
    t.journal.lease_source(&worker(name), &source(), ttl, held, &SourceReport::default()).await
}

async fn taken(t: &Fixture, name: &str, ttl: Duration) -> Result<SourceLease> {
    Ok(lease(t, name, ttl, None).await?.lease.expect("it is free"))
}

async fn eventually_taken(t: &Fixture, name: &str) -> Result<SourceLease> {
    eventually("the source is free", async || Ok(!status(t).await?.held)).await?;
    taken(t, name, LONG).await
}

async fn status(t: &Fixture) -> Result<SourceStatus> {
    let found = t.inspect.sources().await?.into_iter().find(|status| status.name == "payments");
    Ok(found.expect("it was leased"))
}
