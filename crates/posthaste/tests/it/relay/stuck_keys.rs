//! One key that cannot go on: what waits behind it costs the others nothing, and the store one row.

use posthaste::Result;
use posthaste::inspect::Operation;
use posthaste::message::Message;
use posthaste::sink::Error;

use super::making::{destination, ids, order};
use super::outbox::{Outbox, eventually};
use super::receiver::Receiver;

on_every_store! {
    a_stuck_key_costs_one_row_however_much_waits_behind_it,
}

const WAITING: usize = 20_000;
const OTHERS: usize = 2_000;

async fn a_stuck_key_costs_one_row_however_much_waits_behind_it(outbox: Outbox) -> Result<()> {
    let stuck: Vec<Message> = (0..WAITING).map(|_| order("stuck")).collect();
    let others: Vec<Message> = (0..OTHERS).map(|n| order(&format!("o-{}", n % 200))).collect();
    let poison = stuck[0].id;
    // An operator's replay starts the attempts anew, and the second time it is taken.
    let refused = std::sync::atomic::AtomicBool::new(false);
    let receiver = Receiver::answering(move |delivery| {
        let first_time = delivery.message.id == poison && !refused.swap(true, std::sync::atomic::Ordering::SeqCst);
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
