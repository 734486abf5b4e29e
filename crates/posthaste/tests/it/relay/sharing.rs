//! Several workers on one journal: each partition has one of them at a time, and changes hands without loss.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use posthaste::Result;
use posthaste::inspect::Status;
use posthaste::message::Message;
use posthaste::relay::Settings;

use super::making::{at_once, destination, ids, interleaved, settings};
use super::meddled::Meddle;
use super::outbox::{DEADLINE, Outbox, eventually, until};
use super::receiver::Receiver;
use super::running::Running;

on_every_store! {
    workers_share_the_partitions_evenly,
    a_partition_is_delivered_by_one_worker_at_a_time,
    a_worker_that_stops_hands_over_at_once_and_repeats_nothing,
    a_worker_that_stops_waits_for_what_is_in_flight,
    a_worker_that_stops_gives_up_what_does_not_answer_in_time,
    a_worker_leaves_when_nothing_is_asked_of_the_store_any_more,
    a_delivery_may_take_longer_than_a_lease,
    a_worker_that_dies_is_taken_over_when_its_leases_end,
    a_relay_that_is_dropped_takes_its_deliveries_along,
}

/// No lease ends during a test, so that whatever changes hands was given.
fn steady(worker: &str) -> Settings {
    Settings { lease_ttl: 4 * DEADLINE, ..settings(worker) }
}

const BRIEF: Duration = Duration::from_millis(800);

/// A lease that ends soon after its holder.
fn brief(worker: &str) -> Settings {
    Settings { lease_ttl: BRIEF, ..settings(worker) }
}

fn start(outbox: &Outbox, settings: Settings, receiver: &Receiver) -> Running {
    let sink = receiver.sink_of(&settings.worker.0);
    // A single failure would show, and no hand-over is cut off by its time limit.
    let app = destination("app").policy(at_once(1)).timeout(4 * DEADLINE);
    outbox.start_with(settings, vec![(app, sink)])
}

/// Waits until each of these holds its share.
async fn until_shared(workers: &[&Running]) {
    let share = 64_usize.div_ceil(workers.len());
    let least = 64 - share * (workers.len() - 1);
    until("the partitions are shared", || {
        let held: Vec<usize> = workers.iter().map(|worker| worker.partitions()).collect();
        held.iter().sum::<usize>() == 64 && held.iter().all(|held| (least..=share).contains(held))
    })
    .await;
}

async fn workers_share_the_partitions_evenly(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let first = start(&outbox, steady("first"), &receiver);
    until_shared(&[&first]).await;
    let second = start(&outbox, steady("second"), &receiver);
    until_shared(&[&first, &second]).await;
    let third = start(&outbox, steady("third"), &receiver);
    until_shared(&[&first, &second, &third]).await;
    first.stop().await?;
    until_shared(&[&second, &third]).await;
    second.stop().await?;
    third.stop().await
}

/// Workers come and go while messages flow.
async fn a_partition_is_delivered_by_one_worker_at_a_time(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(100, 18));
    let mut parts = messages.chunks(300);
    let mut write = async || outbox.write(parts.next().expect("there are six parts")).await;
    let first = start(&outbox, steady("first"), &receiver);
    write().await?;
    receiver.until_count(300).await;
    let second = start(&outbox, steady("second"), &receiver);
    write().await?;
    let third = start(&outbox, steady("third"), &receiver);
    write().await?;
    until_shared(&[&first, &second, &third]).await;
    write().await?;
    first.stop().await?;
    write().await?;
    until_shared(&[&second, &third]).await;
    write().await?;
    receiver.until_count(messages.len()).await;
    second.stop().await?;
    third.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.collisions().is_empty(), "{:?}", receiver.collisions());
    let workers: HashSet<String> = receiver.arrivals().into_iter().map(|arrival| arrival.worker).collect();
    assert_eq!(workers.len(), 3, "all of them had their part");
    Ok(())
}

pub(super) async fn a_worker_that_stops_hands_over_at_once_and_repeats_nothing(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(100, 10));
    let first = start(&outbox, steady("first"), &receiver);
    until_shared(&[&first]).await;
    outbox.write(&messages).await?;
    let second = start(&outbox, steady("second"), &receiver);
    first.stop().await?;
    until_shared(&[&second]).await;
    receiver.until_count(messages.len()).await;
    second.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.tries().iter().all(|tried| tried.delivery.attempt == 1), "no attempt was spent");
    Ok(())
}

async fn a_worker_that_stops_waits_for_what_is_in_flight(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(4, 2));
    receiver.close();
    let relay = start(&outbox, steady("first"), &receiver);
    outbox.write(&messages).await?;
    until("every key is in flight", || receiver.present("first") == 4).await;
    let in_flight: usize = receiver.runs().iter().sum();
    let (stopped, ()) = tokio::join!(relay.stop(), async { receiver.open() });
    stopped?;
    assert_eq!(receiver.arrived().len(), in_flight);
    let next = start(&outbox, steady("next"), &receiver);
    receiver.until_count(messages.len()).await;
    next.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

async fn a_worker_that_stops_gives_up_what_does_not_answer_in_time(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(4, 2));
    receiver.close();
    let impatient = Settings { stop_timeout: Duration::from_millis(100), ..steady("first") };
    let relay = start(&outbox, impatient, &receiver);
    outbox.write(&messages).await?;
    until("every key is in flight", || receiver.present("first") == 4).await;
    relay.stop().await?;
    until("the sink is left alone", || receiver.present("first") == 0).await;
    receiver.open();
    let next = start(&outbox, steady("next"), &receiver);
    receiver.until_count(messages.len()).await;
    next.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.tries().iter().all(|tried| tried.delivery.attempt == 1), "no attempt was spent");
    Ok(())
}

/// The calls that are made at one time, and those that a release has met.
#[derive(Debug, Default)]
struct Calls(Mutex<(Vec<String>, Option<Vec<String>>)>);

impl Meddle for Calls {
    fn before(&self, call: &str) -> Result<()> {
        let (now, met) = &mut *self.0.lock().expect("nobody panics with it");
        if call == "release" {
            *met = Some(now.clone());
        }
        now.push(call.into());
        Ok(())
    }

    fn over(&self, call: &str) {
        let (now, _) = &mut *self.0.lock().expect("nobody panics with it");
        now.retain(|one| one != call);
    }
}

/// The process may end at any moment after that.
async fn a_worker_leaves_when_nothing_is_asked_of_the_store_any_more(outbox: Outbox) -> Result<()> {
    let (receiver, messages, calls) = (Receiver::new(), interleaved(4, 2), Arc::new(Calls::default()));
    let outbox = outbox.meddled(calls.clone());
    let relay = start(&outbox, steady("first"), &receiver);
    outbox.write(&messages).await?;
    receiver.until_count(messages.len()).await;
    until("it waits for more", || calls.0.lock().expect("nobody panics with it").0 == ["wait"]).await;
    relay.stop().await?;
    let met = calls.0.lock().expect("nobody panics with it").1.take();
    assert_eq!(met, Some(Vec::new()));
    Ok(())
}

async fn a_delivery_may_take_longer_than_a_lease(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(4, 2));
    receiver.close();
    let relay = start(&outbox, brief("first"), &receiver);
    outbox.write(&messages).await?;
    until("every key is in flight", || receiver.present("first") == 4).await;
    let started = Instant::now();
    until("two leases pass", || started.elapsed() > 2 * BRIEF).await;
    assert_eq!(receiver.present("first"), 4, "nothing was taken back");
    receiver.open();
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

async fn a_worker_that_dies_is_taken_over_when_its_leases_end(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(60, 6));
    let (first, second) = (start(&outbox, brief("first"), &receiver), start(&outbox, brief("second"), &receiver));
    until_shared(&[&first, &second]).await;
    outbox.write(&messages[..180]).await?;
    receiver.until_count(180).await;
    receiver.close();
    outbox.write(&messages[180..]).await?;
    until("both have something in flight", || receiver.present("first") > 0 && receiver.present("second") > 0).await;
    first.kill().await;
    receiver.open();
    until_shared(&[&second]).await;
    receiver.until_has(&ids(&messages)).await;
    all_delivered(&outbox, &messages).await?;
    second.stop().await?;
    receiver.assert_got_at_least_once(&messages);
    Ok(())
}

async fn all_delivered(outbox: &Outbox, messages: &[Message]) -> Result<()> {
    let last = messages.last().expect("something was written").id;
    outbox.until_status("app", last, Status::Delivered).await?;
    eventually("everything is settled", || async {
        let counts = outbox.counts("app").await?;
        Ok((counts.pending, counts.waiting, counts.retrying, counts.dead) == (0, 0, 0, 0))
    })
    .await
}

/// Or they would go on after the lease, beside those of the next holder.
async fn a_relay_that_is_dropped_takes_its_deliveries_along(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(4, 2));
    receiver.close();
    let relay = start(&outbox, brief("first"), &receiver);
    outbox.write(&messages).await?;
    until("every key is in flight", || receiver.present("first") == 4).await;
    relay.kill().await;
    until("the sink is left alone", || receiver.present("first") == 0).await;
    receiver.open();
    let next = start(&outbox, brief("next"), &receiver);
    receiver.until_count(messages.len()).await;
    next.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.arrivals().iter().all(|arrival| arrival.worker == "next"));
    Ok(())
}
