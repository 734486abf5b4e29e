//! Receivers that say later what became of what they were handed: only then it is delivered, in order, whoever crashes meanwhile.

use std::time::Duration;

use posthaste::inspect::{Answer, Operation, Refusal, Says, Settled, Status};
use posthaste::message::{Message, MessageId};
use posthaste::relay::Settings;
use posthaste::{Destination, Result};

use super::making::{at_once, destination, ids, order, orders, settings};
use super::outbox::{DEADLINE, Outbox, until};
use super::receiver::Receiver;

on_every_store! {
    a_message_is_delivered_when_its_receiver_says_so_and_not_before,
    the_next_message_of_a_key_is_handed_over_after_the_answer_and_other_keys_go_on,
    a_failure_from_outside_is_tried_again_and_a_refusal_is_final,
    a_message_that_nobody_answers_for_is_handed_over_again_when_its_time_is_over,
    a_worker_that_dies_leaves_its_hand_overs_to_be_answered,
    an_operator_need_not_wait_for_an_answer,
}

/// Nobody waits so long.
fn patient() -> Destination {
    destination("app").callback_timeout(8 * DEADLINE)
}

async fn settle(outbox: &Outbox, id: MessageId, hand_over: Option<String>, says: Says) -> Result<Settled> {
    outbox.store().settle(id, &"app".into(), &Answer { hand_over, says }).await
}

async fn sent(outbox: &Outbox, id: MessageId) -> Result<()> {
    outbox.until_status("app", id, Status::Awaiting).await?;
    assert_eq!(settle(outbox, id, None, Says::Sent).await?, Settled::Taken);
    outbox.until_status("app", id, Status::Delivered).await
}

fn failed(retry: bool) -> Says {
    Says::Failed { retry, reason: "no stock".into() }
}

fn hand_overs(receiver: &Receiver, message: &Message) -> Vec<String> {
    receiver.tries_of(message.id).iter().filter_map(|tried| tried.delivery.hand_over.clone()).collect()
}

async fn a_message_is_delivered_when_its_receiver_says_so_and_not_before(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), order("1"));
    let relay = outbox.start(patient(), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Awaiting).await?;
    assert_eq!((receiver.tries().len(), relay.sees("app").delivered), (1, 0));
    let waits = outbox.delivery("app", message.id).await?;
    assert!(waits.due_at.is_some() && waits.attempts == 0 && waits.timeline.is_empty(), "{waits:?}");
    assert_eq!(outbox.counts("app").await?.awaiting, 1);
    let hand_over = hand_overs(&receiver, &message).pop();
    assert!(hand_over.is_some(), "the receiver knows what to answer");
    assert_eq!(settle(&outbox, message.id, hand_over.clone(), Says::Sent).await?, Settled::Taken);
    outbox.until_status("app", message.id, Status::Delivered).await?;
    assert_eq!(settle(&outbox, message.id, hand_over, Says::Sent).await?, Settled::Repeated);
    until("it is counted", || relay.sees("app").delivered == 1).await;
    relay.stop().await?;
    let timeline = outbox.delivery("app", message.id).await?.timeline;
    assert_eq!(timeline.iter().map(|tried| (tried.number, tried.error.clone())).collect::<Vec<_>>(), [(1, None)]);
    assert_eq!(receiver.tries().len(), 1);
    Ok(())
}

async fn the_next_message_of_a_key_is_handed_over_after_the_answer_and_other_keys_go_on(outbox: Outbox) -> Result<()> {
    let (receiver, same, other) = (Receiver::new(), orders("1", 4), orders("2", 2));
    let relay = outbox.start(patient(), receiver.sink());
    outbox.write(&same).await?;
    outbox.until_status("app", same[0].id, Status::Awaiting).await?;
    outbox.write(&other).await?;
    for message in &other {
        sent(&outbox, message.id).await?;
    }
    assert_eq!(receiver.tries_of(same[1].id).len(), 0, "its turn has not come");
    assert_eq!(outbox.status("app", same[3].id).await?, Some(Status::Waiting));
    for (n, message) in same.iter().enumerate() {
        sent(&outbox, message.id).await?;
        let after: Vec<MessageId> = ids(&same[(n + 2).min(same.len())..]);
        assert!(after.iter().all(|id| receiver.tries_of(*id).is_empty()), "nothing goes ahead of its answer");
    }
    relay.stop().await?;
    receiver.assert_got(&[same, other].concat());
    Ok(())
}

async fn a_failure_from_outside_is_tried_again_and_a_refusal_is_final(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), order("1"));
    let relay = outbox.start(patient(), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Awaiting).await?;
    assert_eq!(settle(&outbox, message.id, None, failed(true)).await?, Settled::Taken);
    receiver.until_count(2).await;
    outbox.until_status("app", message.id, Status::Awaiting).await?;
    let names = hand_overs(&receiver, &message);
    assert!(names.len() == 2 && names[0] != names[1], "{names:?}");
    // The receiver of the first repeats itself: that says nothing about the second.
    let late = settle(&outbox, message.id, Some(names[0].clone()), failed(false)).await?;
    assert_eq!(late, Settled::Refused(Refusal::OtherHandOver));
    assert_eq!(outbox.delivery("app", message.id).await?.attempts, 1);
    assert_eq!(settle(&outbox, message.id, Some(names[1].clone()), failed(false)).await?, Settled::Taken);
    outbox.until_status("app", message.id, Status::Dead).await?;
    let dead = outbox.delivery("app", message.id).await?;
    assert_eq!((dead.attempts, dead.error.as_deref(), dead.timeline.len()), (2, Some("no stock"), 2));
    assert_eq!(settle(&outbox, message.id, None, Says::Sent).await?, Settled::Refused(Refusal::Late));
    relay.stop().await
}

async fn a_message_that_nobody_answers_for_is_handed_over_again_when_its_time_is_over(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), order("1"));
    let hasty = destination("app").policy(at_once(2)).callback_timeout(Duration::from_millis(200));
    let relay = outbox.start(hasty, receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Dead).await?;
    assert_eq!(receiver.tries_of(message.id).len(), 2);
    let dead = outbox.delivery("app", message.id).await?;
    assert_eq!(dead.error.as_deref(), Some("handed over, and no answer came within 200ms"));
    relay.stop().await
}

async fn a_worker_that_dies_leaves_its_hand_overs_to_be_answered(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 2));
    let brief = |worker| Settings { lease_ttl: Duration::from_millis(800), ..settings(worker) };
    let first = outbox.start_with(brief("first"), vec![(patient(), receiver.sink())]);
    outbox.write(&messages).await?;
    outbox.until_status("app", messages[0].id, Status::Awaiting).await?;
    first.kill().await;
    // Nobody runs, and the answer is kept all the same.
    assert_eq!(settle(&outbox, messages[0].id, None, Says::Sent).await?, Settled::Taken);
    assert_eq!(settle(&outbox, messages[0].id, None, Says::Sent).await?, Settled::Repeated);
    let next = outbox.start_with(brief("next"), vec![(patient(), receiver.sink())]);
    outbox.until_status("app", messages[0].id, Status::Delivered).await?;
    outbox.until_status("app", messages[1].id, Status::Awaiting).await?;
    next.kill().await;
    let last = outbox.start_with(brief("last"), vec![(patient(), receiver.sink())]);
    // Whatever it would do, it has done when something else is through.
    let beside = order("beside");
    outbox.write(std::slice::from_ref(&beside)).await?;
    sent(&outbox, beside.id).await?;
    assert_eq!(receiver.tries_of(messages[1].id).len(), 1, "it waits for its answer, whoever holds the partition");
    sent(&outbox, messages[1].id).await?;
    last.stop().await?;
    assert!(messages.iter().all(|message| receiver.tries_of(message.id).len() == 1), "each was handed over once");
    Ok(())
}

async fn an_operator_need_not_wait_for_an_answer(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 2));
    let relay = outbox.start(patient(), receiver.sink());
    outbox.write(&messages).await?;
    outbox.until_status("app", messages[0].id, Status::Awaiting).await?;
    outbox.operate(Operation::Replay, &[messages[0].id]).await?;
    receiver.until_count(2).await;
    outbox.until_status("app", messages[0].id, Status::Awaiting).await?;
    outbox.operate(Operation::Discard, &[messages[0].id]).await?;
    outbox.until_status("app", messages[0].id, Status::Discarded).await?;
    assert_eq!(settle(&outbox, messages[0].id, None, Says::Sent).await?, Settled::Refused(Refusal::Discarded));
    sent(&outbox, messages[1].id).await?;
    relay.stop().await
}
