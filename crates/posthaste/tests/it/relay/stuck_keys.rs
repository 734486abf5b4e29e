//! One key that cannot go on: what waits behind it costs the others nothing, and the store one row.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use posthaste::Result;
use posthaste::destination::Destination;
use posthaste::inspect::{Operation, Status};
use posthaste::message::Message;
use posthaste::relay::Settings;
use posthaste::sink::{Error, Outcome, Run, Sink};

use super::making::{destination, ids, interleaved, order, settings};
use super::meddled::Meddle;
use super::outbox::{DEADLINE, Outbox, eventually, until};
use super::receiver::Receiver;

on_every_store! {
    a_stuck_key_costs_one_row_however_much_waits_behind_it,
    lanes_with_more_dead_keys_than_they_may_hold_go_on_when_those_are_replayed,
    a_relay_that_lags_behind_notices_a_replay,
}

const WAITING: usize = 20_000;
const OTHERS: usize = 2_000;

async fn a_stuck_key_costs_one_row_however_much_waits_behind_it(outbox: Outbox) -> Result<()> {
    let stuck: Vec<Message> = (0..WAITING).map(|_| order("stuck")).collect();
    let others: Vec<Message> = (0..OTHERS).map(|n| order(&format!("o-{}", n % 200))).collect();
    let poison = stuck[0].id;
    // An operator's replay starts the attempts anew, and the second time it is taken.
    let refused = AtomicBool::new(false);
    let receiver = Receiver::answering(move |delivery| {
        let first_time = delivery.message.id == poison && !refused.swap(true, Ordering::SeqCst);
        if first_time { Err(Error::reject("poison")) } else { Ok(()) }
    });
    let per_other = WAITING / OTHERS;
    let taking_turns = stuck.chunks(per_other).zip(&others);
    let all: Vec<Message> = taking_turns.flat_map(|(stuck, other)| stuck.iter().chain([other])).cloned().collect();
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&all).await?;
    receiver.until_count(OTHERS).await;
    eventually("everything else is settled", || async { Ok(outbox.counts("app").await?.pending == 0) }).await?;
    let counts = outbox.counts("app").await?;
    assert_eq!((counts.waiting, counts.held_keys, counts.dead), (WAITING as u64 - 1, 1, 1));
    assert_eq!((counts.retrying, counts.scheduled, counts.throttled, counts.replay), (0, 0, 0, 0));
    receiver.assert_got(&others);
    outbox.operate(Operation::Replay, &ids(&stuck[..1])).await?;
    receiver.until_count(WAITING + OTHERS).await;
    eventually("the key is free", || async { Ok(outbox.counts("app").await?.held_keys == 0) }).await?;
    relay.stop().await?;
    receiver.assert_got(&all);
    Ok(())
}

/// Knows when the relay last asked for something to do.
#[derive(Debug, Default)]
struct Calls(Mutex<Option<Instant>>);

impl Meddle for Calls {
    fn before(&self, call: &str) -> Result<()> {
        if ["advance", "read", "read_key", "due", "commit"].contains(&call) {
            *self.0.lock().expect("nobody panics with this in hand") = Some(Instant::now());
        }
        Ok(())
    }
}

impl Calls {
    async fn at_rest(&self) {
        let quiet = |last: &Instant| last.elapsed() > Duration::from_millis(400);
        until("the relay comes to rest", || {
            self.0.lock().expect("nobody panics with this in hand").as_ref().is_some_and(quiet)
        })
        .await;
    }
}

/// Such a lane does not walk any more, so nothing but the replay can wake it.
async fn lanes_with_more_dead_keys_than_they_may_hold_go_on_when_those_are_replayed(outbox: Outbox) -> Result<()> {
    let cured = Arc::new(AtomicBool::new(false));
    let healthy = cured.clone();
    let receiver = Receiver::answering(move |_| match healthy.load(Ordering::SeqCst) {
        true => Ok(()),
        false => Err(Error::reject("all of them")),
    });
    let calls = Arc::new(Calls::default());
    let outbox = outbox.meddled(calls.clone());
    let narrow = Settings { max_held_keys: 1, ..settings("worker") };
    let relay = outbox.start_with(narrow, vec![(destination("app"), receiver.sink())]);
    let (first, second) = (interleaved(1_000, 1), interleaved(1_000, 1));
    outbox.write(&first).await?;
    eventually("all are dead", || async { Ok(outbox.counts("app").await?.dead == 1_000) }).await?;
    outbox.write(&second).await?;
    calls.at_rest().await;
    cured.store(true, Ordering::SeqCst);
    assert_eq!(outbox.operate(Operation::Replay, &ids(&first)).await?.affected, 1_000);
    receiver.until_count(2_000).await;
    relay.stop().await?;
    receiver.assert_got(&[first, second].concat());
    Ok(())
}

/// Sends one key here and all others there.
#[derive(Debug)]
struct Fork {
    key: &'static str,
    here: Arc<dyn Sink>,
    there: Arc<dyn Sink>,
}

#[async_trait]
impl Sink for Fork {
    async fn deliver(&self, run: &Run) -> Outcome {
        let here = run.deliveries[0].message.key.as_deref() == Some(self.key);
        if here { self.here.deliver(run).await } else { self.there.deliver(run).await }
    }

    async fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// It has more to do than it can take on, and reads nothing new for a long time.
async fn a_relay_that_lags_behind_notices_a_replay(outbox: Outbox) -> Result<()> {
    let (quick, slow, message) = (Receiver::new(), Receiver::new(), order("replayed"));
    let calls = Arc::new(Calls::default());
    let outbox = outbox.meddled(calls.clone());
    slow.close();
    let fork = Arc::new(Fork { key: "order/replayed", here: quick.sink(), there: slow.sink() });
    let small = Settings { window_messages: 50, read_batch: 100, ..settings("worker") };
    let wide = destination("app").max_in_flight(1_000).timeout(2 * DEADLINE);
    let relay = outbox.start_with(small, vec![(wide, fork)]);
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Delivered).await?;
    outbox.write(&interleaved(500, 4)).await?;
    until("the slow one is busy", || slow.present("worker") > 100).await;
    calls.at_rest().await;
    outbox.operate(Operation::Replay, &[message.id]).await?;
    quick.until_count(2).await;
    relay.kill().await;
    Ok(())
}
