//! What a dead message does to its key, and what an operator can do about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use posthaste::Result;
use posthaste::destination::Destination;
use posthaste::inspect::{Operation, Status};
use posthaste::message::{Message, MessageId};
use posthaste::retry::{OnDead, Policy};
use posthaste::sink::Error;

use super::making::{at_once, destination, ids, order, orders};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    a_dead_message_blocks_its_key_and_nobody_else,
    a_blocked_key_is_delivered_in_order_when_its_dead_message_is_replayed,
    a_blocked_key_goes_on_when_its_dead_message_is_discarded,
    what_was_discarded_is_never_delivered,
    what_was_discarded_is_delivered_after_all_when_someone_asks,
    a_key_goes_on_past_its_dead_message_where_the_policy_says_skip,
    a_dead_message_without_a_key_blocks_nobody,
    a_replay_that_fails_again_is_dead_again,
    a_relay_that_starts_again_finds_the_key_blocked,
}

/// Rejects one message until it is cured.
struct Poison {
    receiver: Receiver,
    cured: Arc<AtomicBool>,
}

impl Poison {
    fn of(id: MessageId) -> Self {
        let cured = Arc::new(AtomicBool::new(false));
        let healthy = cured.clone();
        let receiver = Receiver::answering(move |delivery| match delivery.message.id == id {
            true if !healthy.load(Ordering::SeqCst) => Err(Error::reject("poison")),
            _ => Ok(()),
        });
        Self { receiver, cured }
    }

    fn cure(&self) {
        self.cured.store(true, Ordering::SeqCst);
    }
}

/// A key whose second message is poison, and one message of another key written after them.
fn poisoned() -> (Vec<Message>, Message) {
    (orders("1", 5), order("2"))
}

/// Waits until the second message of the key is dead and whoever could pass has passed.
async fn until_blocked(outbox: &Outbox, receiver: &Receiver, key: &[Message], other: &Message) -> Result<()> {
    outbox.write(key).await?;
    outbox.until_status("app", key[1].id, Status::Dead).await?;
    outbox.write(std::slice::from_ref(other)).await?;
    receiver.until_has(&[other.id]).await;
    for message in &key[2..] {
        outbox.until_status("app", message.id, Status::Waiting).await?;
    }
    Ok(())
}

pub(super) async fn a_dead_message_blocks_its_key_and_nobody_else(outbox: Outbox) -> Result<()> {
    let (key, other) = poisoned();
    let Poison { receiver, .. } = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), receiver.sink());
    until_blocked(&outbox, &receiver, &key, &other).await?;
    let later = order("1");
    outbox.write(std::slice::from_ref(&later)).await?;
    outbox.until_status("app", later.id, Status::Waiting).await?;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), [key[0].id, other.id]);
    let behind = outbox.delivery("app", later.id).await?.behind.expect("it says what it waits for");
    assert_eq!((behind.id, behind.error.as_deref()), (Some(key[1].id), Some("poison")));
    Ok(())
}

pub(super) async fn a_blocked_key_is_delivered_in_order_when_its_dead_message_is_replayed(
    outbox: Outbox,
) -> Result<()> {
    let (key, other) = poisoned();
    let poison = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    until_blocked(&outbox, &poison.receiver, &key, &other).await?;
    poison.cure();
    assert_eq!(outbox.operate(Operation::Replay, &[key[1].id]).await?.affected, 1);
    poison.receiver.until_has(&ids(&key)).await;
    relay.stop().await?;
    poison.receiver.assert_got(&[key, vec![other]].concat());
    Ok(())
}

async fn a_blocked_key_goes_on_when_its_dead_message_is_discarded(outbox: Outbox) -> Result<()> {
    let (mut key, other) = poisoned();
    let Poison { receiver, .. } = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), receiver.sink());
    until_blocked(&outbox, &receiver, &key, &other).await?;
    assert_eq!(outbox.operate(Operation::Discard, &[key[1].id]).await?.affected, 1);
    key.remove(1);
    receiver.until_has(&ids(&key)).await;
    relay.stop().await?;
    receiver.assert_got(&[key, vec![other]].concat());
    Ok(())
}

/// Discarded while nobody runs, so that it is the next relay that has to take note.
async fn what_was_discarded_is_never_delivered(outbox: Outbox) -> Result<()> {
    let (key, other) = poisoned();
    let poison = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    until_blocked(&outbox, &poison.receiver, &key, &other).await?;
    relay.stop().await?;
    poison.cure();
    outbox.operate(Operation::Discard, &[key[1].id]).await?;
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    poison.receiver.until_has(&[key[4].id]).await;
    outbox.until_status("app", key[4].id, Status::Delivered).await?;
    relay.stop().await?;
    assert!(!poison.receiver.has(key[1].id));
    assert_eq!(outbox.counts("app").await?.held_keys, 0);
    outbox.until_status("app", key[1].id, Status::Discarded).await?;
    Ok(())
}

/// It comes late, which whoever asks for it is told beforehand.
async fn what_was_discarded_is_delivered_after_all_when_someone_asks(outbox: Outbox) -> Result<()> {
    let (key, other) = poisoned();
    let poison = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    until_blocked(&outbox, &poison.receiver, &key, &other).await?;
    outbox.operate(Operation::Discard, &[key[1].id]).await?;
    outbox.until_status("app", key[4].id, Status::Delivered).await?;
    outbox.until_status("app", key[1].id, Status::Discarded).await?;
    poison.cure();
    let report = outbox.operate(Operation::Replay, &[key[1].id]).await?;
    assert_eq!((report.affected, report.overtaken), (1, 1));
    outbox.until_status("app", key[1].id, Status::Delivered).await?;
    relay.stop().await?;
    assert!(poison.receiver.has(key[1].id));
    Ok(())
}

fn skipping() -> Destination {
    Destination::new("app").policy(Policy { on_dead: OnDead::Skip, ..at_once(10) })
}

pub(super) async fn a_key_goes_on_past_its_dead_message_where_the_policy_says_skip(outbox: Outbox) -> Result<()> {
    let (key, _) = poisoned();
    let poison = Poison::of(key[1].id);
    let relay = outbox.start(skipping(), poison.receiver.sink());
    outbox.write(&key).await?;
    poison.receiver.until_count(4).await;
    outbox.until_status("app", key[1].id, Status::Dead).await?;
    assert_eq!(poison.receiver.arrived(), [key[0].id, key[2].id, key[3].id, key[4].id]);
    outbox.until_status("app", key[4].id, Status::Delivered).await?;
    poison.cure();
    let replayed = outbox.operate(Operation::Replay, &[key[1].id]).await?;
    assert_eq!((replayed.affected, replayed.overtaken), (1, 1), "the operator is told of the order");
    poison.receiver.until_has(&[key[1].id]).await;
    relay.stop().await
}

async fn a_dead_message_without_a_key_blocks_nobody(outbox: Outbox) -> Result<()> {
    let unordered = |_| super::making::made(super::making::about("any").unordered());
    let messages: Vec<Message> = (0..6).map(unordered).collect();
    let Poison { receiver, .. } = Poison::of(messages[0].id);
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    receiver.until_has(&ids(&messages[1..])).await;
    outbox.until_status("app", messages[0].id, Status::Dead).await?;
    relay.stop().await?;
    assert_eq!(outbox.counts("app").await?.held_keys, 0);
    Ok(())
}

async fn a_replay_that_fails_again_is_dead_again(outbox: Outbox) -> Result<()> {
    let (key, other) = poisoned();
    let Poison { receiver, .. } = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), receiver.sink());
    until_blocked(&outbox, &receiver, &key, &other).await?;
    outbox.operate(Operation::Replay, &[key[1].id]).await?;
    super::outbox::until("it is tried again", || receiver.tries_of(key[1].id).len() == 2).await;
    outbox.until_status("app", key[1].id, Status::Dead).await?;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), [key[0].id, other.id]);
    Ok(())
}

async fn a_relay_that_starts_again_finds_the_key_blocked(outbox: Outbox) -> Result<()> {
    let (key, other) = poisoned();
    let poison = Poison::of(key[1].id);
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    until_blocked(&outbox, &poison.receiver, &key, &other).await?;
    relay.stop().await?;
    let (later, sentinel) = (order("1"), order("3"));
    outbox.write(&[later.clone(), sentinel.clone()]).await?;
    let relay = outbox.start(destination("app"), poison.receiver.sink());
    poison.receiver.until_has(&[sentinel.id]).await;
    assert_eq!(poison.receiver.arrived(), [key[0].id, other.id, sentinel.id]);
    poison.cure();
    outbox.operate(Operation::Replay, &[key[1].id]).await?;
    poison.receiver.until_has(&[later.id]).await;
    relay.stop().await?;
    poison.receiver.assert_got(&[key, vec![later, other, sentinel]].concat());
    Ok(())
}
