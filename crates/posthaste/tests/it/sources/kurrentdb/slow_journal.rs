//! A journal that takes its time slows the source, and memory stays bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use posthaste::conformance::kurrentdb::StandIn;
use posthaste::error::{Error, Kind};
use posthaste::inspect::Inspect;
use posthaste::source::{Event, Feed, Mapper, Unmappable};
use posthaste::stores::memory::Memory;
use posthaste::testkit::waiting::{eventually, until};
use posthaste::{Message, Relay, Result};
use tokio::sync::oneshot;

use crate::relay::meddled::{Meddle, Meddled};

const EVENTS: usize = 5_000;
const EVENT_BYTES: usize = 1_000;
const PORTION: usize = 50;

/// Counts what is read into a journal that takes nothing until it is open.
#[derive(Debug, Default)]
struct Shut {
    read: AtomicUsize,
    is_open: AtomicBool,
}

impl Mapper for Shut {
    fn map(&self, event: &Event) -> std::result::Result<Vec<Message>, Unmappable> {
        self.read.fetch_add(1, Ordering::SeqCst);
        let message = Message::builder(event.event_type.as_str(), "account", event.stream.as_str());
        Ok(vec![message.payload(event.data.clone(), "application/json").build()?])
    }
}

impl Meddle for Shut {
    fn before(&self, call: &str) -> Result<()> {
        match call == "ingest" && !self.is_open.load(Ordering::SeqCst) {
            true => Err(Error::new(Kind::Unavailable, "it is shut")),
            false => Ok(()),
        }
    }
}

/// How many events are read while the journal is shut. Once it is open, all of them are stored.
async fn read_while_shut(feed: Feed) -> Result<usize> {
    let (store, server, shut) = (Memory::new(), StandIn::single().await, Arc::new(Shut::default()));
    for _ in 0..EVENTS {
        server.append("account-1", "account.changed", vec![b'1'; EVENT_BYTES], "");
    }
    let meddled = Arc::new(Meddled { inner: Arc::new(store.clone()), meddle: shut.clone() });
    let feed = feed.max_batch(PORTION).retry(Duration::from_millis(5), Duration::from_millis(50));
    let relay = Relay::builder(meddled).source(feed, Arc::new(super::source(&server)), shut.clone()).build();
    let (stop, stopped) = oneshot::channel::<()>();
    #[expect(clippy::disallowed_methods, reason = "the relay of a test, which ends with it")]
    let running = tokio::spawn(relay.run(async move { drop(stopped.await) }));
    until("something is read", || shut.read.load(Ordering::SeqCst) >= 2 * PORTION).await;
    // Long enough for a reader without bounds to read all of it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let read = shut.read.load(Ordering::SeqCst);
    shut.is_open.store(true, Ordering::SeqCst);
    eventually("all is stored", async || Ok(store.overview().await?.messages >= EVENTS as u64)).await?;
    drop(stop);
    running.await.expect("the relay does not panic")?;
    Ok(read)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_events_are_in_memory_than_the_window_has_room_for() -> Result<()> {
    let read = read_while_shut(Feed::new("accounts").window(200, 32 << 20)).await?;
    assert!(read <= 200 + PORTION, "{read} were in memory");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_bytes_are_in_memory_than_the_window_has_room_for() -> Result<()> {
    // Each event is there as it was read, and as the message that was made of it.
    let read = read_while_shut(Feed::new("accounts").window(1_000_000, 400 * EVENT_BYTES)).await?;
    assert!(read <= 400 + PORTION, "{read} were in memory");
    Ok(())
}
