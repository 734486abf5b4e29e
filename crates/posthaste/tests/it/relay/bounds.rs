//! What a relay takes into memory, and what it costs while there is nothing to do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use posthaste::journal::Entry;
use posthaste::message::Message;
use posthaste::relay::Settings;
use posthaste::{Destination, Relay, Result};

use super::making::{about, destination, made, order, settings};
use super::meddled::Meddle;
use super::outbox::{Outbox, until};
use super::receiver::Receiver;
use crate::stores::sqlite;

on_every_store! {
    a_relay_whose_sink_does_not_answer_reads_no_more_than_its_window,
    a_relay_reads_no_more_bytes_than_its_window,
    a_relay_sets_no_more_aside_than_its_window_while_the_store_does_not_take_it,
}

/// Knows which of the messages that were read are still in memory.
#[derive(Debug, Default)]
struct Memory(Mutex<Vec<Weak<Message>>>);

impl Memory {
    fn messages(&self) -> Vec<Arc<Message>> {
        self.0.lock().expect("no test panics while it holds this").iter().filter_map(Weak::upgrade).collect()
    }

    async fn at_rest(&self) -> Vec<Arc<Message>> {
        at_rest(|| self.messages().len()).await;
        self.messages()
    }
}

/// Waits until nothing more is read; how much was.
async fn at_rest(read: impl Fn() -> usize) -> usize {
    let mut last = (0, Instant::now());
    until("reading comes to an end", || {
        let now = read();
        if now != last.0 {
            last = (now, Instant::now());
        }
        now > 0 && last.1.elapsed() > Duration::from_millis(400)
    })
    .await;
    last.0
}

impl Meddle for Memory {
    fn read(&self, entry: &mut Entry) {
        // The memory store keeps its messages, so the relay gets copies.
        entry.message = Arc::new(Message::clone(&entry.message));
        self.0.lock().expect("no test panics while it holds this").push(Arc::downgrade(&entry.message));
    }
}

async fn a_relay_whose_sink_does_not_answer_reads_no_more_than_its_window(outbox: Outbox) -> Result<()> {
    let (receiver, memory) = (Receiver::new(), Arc::new(Memory::default()));
    let messages: Vec<Message> = (0..50_000).map(|n| order(&format!("o-{}", n % 500))).collect();
    let outbox = outbox.meddled(memory.clone());
    // In several transactions: MongoDB has no room for so much in one, unless it has much memory.
    for some in messages.chunks(5_000) {
        outbox.write(some).await?;
    }
    receiver.close();
    let small = Settings { window_messages: 50, read_batch: 100, ..settings("worker") };
    let relay = outbox.start_with(small, vec![(destination("app"), receiver.sink())]);
    let in_memory = memory.at_rest().await.len();
    relay.kill().await;
    // Four reads are enough to do; one more may be under way for each of two readers.
    assert!(in_memory <= 6 * 100, "{in_memory} messages in memory");
    Ok(())
}

async fn a_relay_reads_no_more_bytes_than_its_window(outbox: Outbox) -> Result<()> {
    let (receiver, memory) = (Receiver::new(), Arc::new(Memory::default()));
    let payload = bytes::Bytes::from(vec![0; 64 << 10]);
    let one = |n: usize| made(about(&format!("o-{}", n % 50)).payload(payload.clone(), "x/y"));
    let messages: Vec<Message> = (0..500).map(one).collect();
    let outbox = outbox.meddled(memory.clone());
    outbox.write(&messages).await?;
    receiver.close();
    let window_bytes = 4 << 20;
    let small = Settings { window_bytes, ..settings("worker") };
    let relay = outbox.start_with(small, vec![(destination("app"), receiver.sink())]);
    let in_memory: usize = memory.at_rest().await.iter().map(|message| message.weight()).sum();
    receiver.open();
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert!(in_memory <= 2 * window_bytes, "{in_memory} bytes in memory");
    Ok(())
}

/// A store that does not answer when something is to be recorded, and how many messages it was asked for meanwhile.
#[derive(Debug, Default)]
struct Unrecorded(AtomicUsize);

impl Meddle for Unrecorded {
    fn swallows(&self, call: &str) -> bool {
        call == "commit"
    }

    fn read(&self, _entry: &mut Entry) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Nothing of it stays in memory, but all of it is in the next commit.
async fn a_relay_sets_no_more_aside_than_its_window_while_the_store_does_not_take_it(outbox: Outbox) -> Result<()> {
    let (receiver, unrecorded) = (Receiver::new(), Arc::new(Unrecorded::default()));
    let tomorrow = order("clock").occurred_at + Duration::from_secs(24 * 3_600);
    let messages: Vec<Message> = (0..3_000).map(|n| made(about(&format!("o-{n}")).due_at(tomorrow))).collect();
    let outbox = outbox.meddled(unrecorded.clone());
    outbox.write(&messages).await?;
    let small = Settings { window_messages: 50, read_batch: 100, ..settings("worker") };
    let relay = outbox.start_with(small, vec![(destination("app"), receiver.sink())]);
    let set_aside = at_rest(|| unrecorded.0.load(Ordering::Relaxed)).await;
    relay.kill().await;
    assert!(set_aside <= 6 * 100, "{set_aside} messages for one commit");
    Ok(())
}

/// At most ten questions a second, as the documents promise. Whoever has to do this once a second for a year should know.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_relay_asks_at_most_ten_questions_a_second() -> Result<()> {
    const IDLE: Duration = Duration::from_secs(3);
    let store = sqlite::fresh().await;
    let watched = store.store.clone();
    let outbox = Outbox::of(store);
    let receiver = Receiver::new();
    let destinations = vec![(destination("one"), receiver.sink()), (destination("other"), receiver.sink())];
    let relay = outbox.start_with(Settings::default(), destinations);
    outbox.write(&[order("1")]).await?;
    receiver.until_count(2).await;
    let mut calm = (watched.queries(), Instant::now());
    until("the relay comes to rest", || {
        let asked = watched.queries();
        let is_calm = calm.1.elapsed() > Duration::from_millis(500);
        let few = asked - calm.0 <= 5;
        if is_calm {
            calm = (asked, Instant::now());
        }
        is_calm && few
    })
    .await;
    let (before, started) = (watched.queries(), Instant::now());
    tokio::time::sleep(IDLE).await;
    let (asked, seconds) = (watched.queries() - before, started.elapsed().as_secs_f64());
    relay.stop().await?;
    assert!(asked as f64 <= 10.0 * seconds, "{asked} questions in {seconds} seconds");
    Ok(())
}

#[tokio::test]
async fn a_relay_that_could_never_deliver_does_not_start() {
    let at_least_one = |destination: Destination| refusal(Settings::default(), destination);
    let nothing_at_once = destination("app").max_in_flight(0);
    assert_eq!(at_least_one(nothing_at_once).await, "destination `app`: max_in_flight must be at least 1");
    let no_run = destination("app").max_run(0);
    assert_eq!(at_least_one(no_run).await, "destination `app`: max_run must be at least 1");
    let no_window = Settings { window_messages: 0, ..Settings::default() };
    assert_eq!(refusal(no_window, destination("app")).await, "window_messages must be at least 1");
    let for_ever = Settings { lease_ttl: Duration::MAX, ..Settings::default() };
    assert_eq!(refusal(for_ever, destination("app")).await, "lease_ttl must be less than 100 years");
}

async fn refusal(settings: Settings, destination: Destination) -> String {
    let relay = Relay::builder(Arc::new(posthaste::stores::memory::Memory::default())).settings(settings);
    let relay = relay.destination(destination, Receiver::new().sink()).build();
    relay.run(std::future::pending()).await.expect_err("it refuses").to_string()
}
