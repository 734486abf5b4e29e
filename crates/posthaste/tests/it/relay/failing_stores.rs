//! A store that fails now and then, or for longer than the leases last: nothing is lost, nothing goes out of order, and it
//! ends by itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use posthaste::error::{Error, Kind};
use posthaste::inspect::{Operation, Status};
use posthaste::message::Message;
use posthaste::relay::Settings;
use posthaste::stores::sqlite::{Options, Sqlite};
use posthaste::{Result, sink};

use super::making::{destination, ids, interleaved, order, orders, settings};
use super::meddled::Meddle;
use super::outbox::{Outbox, eventually, until};
use super::receiver::Receiver;
use super::running::Running;

on_every_store! {
    calls_that_fail_before_they_are_made_lose_nothing,
    calls_that_fail_after_they_were_made_lose_nothing,
    a_hint_that_was_lost_with_a_failed_call_is_made_up_for,
    a_call_that_is_never_answered_delays_and_loses_nothing,
    a_relay_recovers_from_a_store_that_was_gone_for_longer_than_its_leases,
    a_store_that_comes_and_goes_leaves_no_dead_letters,
    a_relay_waits_for_a_store_that_is_not_there_yet,
    a_relay_can_be_stopped_while_its_store_is_gone,
}

fn unavailable() -> Result<()> {
    Err(Error::new(Kind::Unavailable, "the test says so"))
}

/// Fails one call in so many, not at regular intervals: those of a relay are regular too, and it would always be the same one.
#[derive(Debug)]
struct OneIn {
    many: u64,
    executed: bool,
    calls: AtomicU64,
    failures: AtomicU64,
}

impl OneIn {
    fn new(many: u64, executed: bool) -> Arc<Self> {
        Arc::new(Self { many, executed, calls: AtomicU64::new(0), failures: AtomicU64::new(0) })
    }

    fn call(&self) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let scattered = (call + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        if !scattered.is_multiple_of(self.many) {
            return Ok(());
        }
        self.failures.fetch_add(1, Ordering::SeqCst);
        unavailable()
    }
}

impl Meddle for OneIn {
    fn before(&self, _: &str) -> Result<()> {
        if self.executed { Ok(()) } else { self.call() }
    }

    fn after(&self, _: &str) -> Result<()> {
        if self.executed { self.call() } else { Ok(()) }
    }
}

/// A grant whose answer is lost keeps its partitions from everyone until it ends, so leases are brief.
fn brief() -> Settings {
    Settings { lease_ttl: Duration::from_millis(800), ..settings("worker") }
}

/// Fails one message in seven the first time, so that there is something to park.
fn moody() -> Receiver {
    Receiver::answering(|delivery| match delivery.message.id.0.as_u128() % 7 {
        0 if delivery.attempt == 1 => Err(sink::Error::retry("moody")),
        _ => Ok(()),
    })
}

async fn calls_that_fail_before_they_are_made_lose_nothing(outbox: Outbox) -> Result<()> {
    survives(outbox, OneIn::new(5, false)).await
}

async fn calls_that_fail_after_they_were_made_lose_nothing(outbox: Outbox) -> Result<()> {
    survives(outbox, OneIn::new(5, true)).await
}

async fn survives(outbox: Outbox, faults: Arc<OneIn>) -> Result<()> {
    let (receiver, messages) = (moody(), interleaved(40, 10));
    let outbox = outbox.meddled(faults.clone());
    let relay = outbox.start_with(brief(), vec![(destination("app"), receiver.sink())]);
    for part in messages.chunks(25) {
        outbox.write(part).await?;
    }
    receiver.until_has(&ids(&messages)).await;
    until_settled(&outbox).await?;
    outbox.operate(Operation::Replay, &[messages[0].id]).await?;
    until("a replay gets through", || receiver.tries_of(messages[0].id).len() > 1).await;
    relay.stop().await?;
    receiver.assert_got_at_least_once(&messages);
    assert!(faults.failures.load(Ordering::SeqCst) > 10);
    Ok(())
}

async fn until_settled(outbox: &Outbox) -> Result<()> {
    eventually("everything is settled", || async {
        let counts = outbox.counts("app").await?;
        assert_eq!(counts.dead, 0);
        Ok((counts.pending, counts.waiting, counts.retrying) == (0, 0, 0))
    })
    .await
}

/// Fails one call by this name.
#[derive(Debug)]
struct Once(&'static str, AtomicBool);

impl Meddle for Once {
    fn before(&self, call: &str) -> Result<()> {
        if call == self.0 && self.1.swap(false, Ordering::SeqCst) { unavailable() } else { Ok(()) }
    }
}

/// A store says only once that something was written.
async fn a_hint_that_was_lost_with_a_failed_call_is_made_up_for(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 2));
    let once = Arc::new(Once("advance", AtomicBool::new(false)));
    let outbox = outbox.meddled(once.clone());
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages[..1]).await?;
    outbox.until_status("app", messages[0].id, Status::Delivered).await?;
    once.1.store(true, Ordering::SeqCst);
    outbox.write(&messages[1..]).await?;
    receiver.until_count(2).await;
    assert!(!once.1.load(Ordering::SeqCst), "the call failed");
    relay.stop().await
}

/// Never answers the second call of each name.
#[derive(Debug, Default)]
struct Swallow(Mutex<HashMap<String, usize>>);

impl Meddle for Swallow {
    fn swallows(&self, call: &str) -> bool {
        let mut calls = self.0.lock().expect("nobody panics with it");
        let count = calls.entry(call.to_owned()).or_default();
        *count += 1;
        *count == 2
    }
}

async fn a_call_that_is_never_answered_delays_and_loses_nothing(outbox: Outbox) -> Result<()> {
    let (receiver, messages, swallow) = (moody(), interleaved(20, 10), Arc::new(Swallow::default()));
    let outbox = outbox.meddled(swallow.clone());
    let relay = outbox.start_with(brief(), vec![(destination("app"), receiver.sink())]);
    for part in messages.chunks(25) {
        outbox.write(part).await?;
        receiver.until_has(&ids(part)).await;
    }
    until_settled(&outbox).await?;
    relay.stop().await?;
    receiver.assert_got_at_least_once(&messages);
    let calls = swallow.0.lock().expect("nobody panics with it").clone();
    for call in ["lease", "renew", "advance", "read", "commit"] {
        assert!(calls.get(call).is_some_and(|count| *count > 2), "{call}: {calls:?}");
    }
    Ok(())
}

/// Up or down.
#[derive(Debug, Default)]
struct Switch {
    down: AtomicBool,
}

impl Switch {
    fn turn(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// Takes the store away until the worker has given up its leases, and brings it back.
    async fn outlast_leases(&self, relay: &Running) {
        self.turn(true);
        until("the leases end", || relay.partitions() == 0).await;
        self.turn(false);
        until("the partitions are back", || relay.partitions() == 64).await;
    }
}

impl Meddle for Switch {
    fn before(&self, _: &str) -> Result<()> {
        if self.down.load(Ordering::SeqCst) { unavailable() } else { Ok(()) }
    }
}

async fn a_relay_recovers_from_a_store_that_was_gone_for_longer_than_its_leases(outbox: Outbox) -> Result<()> {
    let (receiver, messages, switch) = (moody(), interleaved(30, 9), Arc::new(Switch::default()));
    let outbox = outbox.meddled(switch.clone());
    let relay = outbox.start_with(brief(), vec![(destination("app"), receiver.sink())]);
    outbox.write(&messages[..90]).await?;
    receiver.until_has(&ids(&messages[..90])).await;
    outbox.write(&messages[90..180]).await?;
    switch.outlast_leases(&relay).await;
    outbox.write(&messages[180..]).await?;
    receiver.until_has(&ids(&messages)).await;
    until_settled(&outbox).await?;
    relay.stop().await?;
    receiver.assert_got_at_least_once(&messages);
    Ok(())
}

/// The worker lives through every one of these outages, so no message can have killed it.
async fn a_store_that_comes_and_goes_leaves_no_dead_letters(outbox: Outbox) -> Result<()> {
    let (receiver, switch) = (Receiver::new(), Arc::new(Switch::default()));
    let messages: Vec<Message> = (0..3).map(|n| order(&n.to_string())).collect();
    let outbox = outbox.meddled(switch.clone());
    receiver.close();
    let relay = outbox.start_with(brief(), vec![(destination("app"), receiver.sink())]);
    outbox.write(&messages).await?;
    for _ in 0..3 {
        until("something is in flight", || receiver.present("worker") > 0).await;
        switch.outlast_leases(&relay).await;
    }
    receiver.open();
    receiver.until_has(&ids(&messages)).await;
    until_settled(&outbox).await?;
    relay.stop().await
}

async fn a_relay_waits_for_a_store_that_is_not_there_yet(outbox: Outbox) -> Result<()> {
    let (receiver, message, switch) = (Receiver::new(), order("1"), Arc::new(Switch::default()));
    let outbox = outbox.meddled(switch.clone());
    switch.turn(true);
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    switch.turn(false);
    receiver.until_has(&[message.id]).await;
    relay.stop().await
}

async fn a_relay_can_be_stopped_while_its_store_is_gone(outbox: Outbox) -> Result<()> {
    let (receiver, message, switch) = (Receiver::new(), order("1"), Arc::new(Switch::default()));
    let outbox = outbox.meddled(switch.clone());
    let hasty = Settings { stop_timeout: Duration::from_millis(200), ..settings("worker") };
    let relay = outbox.start_with(hasty.clone(), vec![(destination("app"), receiver.sink())]);
    outbox.write(std::slice::from_ref(&message)).await?;
    receiver.until_has(&[message.id]).await;
    switch.turn(true);
    relay.stop().await?;
    let relay = outbox.start_with(hasty, vec![(destination("app"), receiver.sink())]);
    relay.stop().await
}

#[tokio::test]
async fn a_relay_without_a_journal_says_so() {
    let directory = std::env::temp_dir().join(format!("posthaste-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&directory).expect("the temporary directory can be written to");
    let empty = Sqlite::open(directory.join("empty.db"), Options::default()).expect("a new file opens");
    let relay = posthaste::Relay::builder(Arc::new(empty)).build();
    let error = relay.run(std::future::pending()).await.expect_err("waiting does not mend it");
    assert_eq!(error.kind(), Kind::Schema, "{error}");
    std::fs::remove_dir_all(&directory).expect("the directory is ours");
}
