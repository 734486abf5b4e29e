//! Failures of single messages: tried again as the policy says, then set aside for a person, and every attempt on record.

use std::time::Duration;

use posthaste::Result;
use posthaste::inspect::Status;
use posthaste::message::MessageId;
use posthaste::retry::{Backoff, Policy};
use posthaste::sink::{Delivery, Error, MAX_BRIEF_CHARS, MAX_ERROR_BYTES, Verdict};

use super::making::{about, at_once, destination, ids, made, order, orders};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    a_message_that_failed_is_tried_until_it_succeeds_and_the_timeline_tells,
    a_message_out_of_attempts_is_dead_with_its_last_error,
    a_message_may_have_another_number_of_attempts_than_its_destination,
    a_rejected_message_is_dead_at_once,
    the_backoff_of_the_policy_passes_between_two_attempts,
    a_destination_that_says_when_to_come_back_is_obeyed,
    a_destination_that_says_to_come_back_never_is_not_believed,
    later_messages_of_a_key_wait_for_one_that_is_tried_again,
    what_was_confirmed_before_a_failure_is_not_delivered_again,
    a_long_error_is_cut_for_the_timeline_and_more_so_for_the_message,
}

/// Fails the first `times` attempts of every message.
fn failing(times: u32) -> Receiver {
    Receiver::answering(move |delivery| match delivery.attempt {
        attempt if attempt <= times => Err(Error::retry(format!("refusal {attempt}"))),
        _ => Ok(()),
    })
}

/// Answers one message like this and takes all others.
fn answering_to(id: MessageId, answer: impl Fn(&Delivery) -> Result<(), Error> + Send + Sync + 'static) -> Receiver {
    Receiver::answering(move |delivery| if delivery.message.id == id { answer(delivery) } else { Ok(()) })
}

pub(super) async fn a_message_that_failed_is_tried_until_it_succeeds_and_the_timeline_tells(
    outbox: Outbox,
) -> Result<()> {
    let (receiver, message) = (failing(2), order("1"));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    receiver.until_has(&[message.id]).await;
    outbox.until_status("app", message.id, Status::Delivered).await?;
    relay.stop().await?;
    let timeline = outbox.delivery("app", message.id).await?.timeline;
    let told: Vec<_> = timeline.iter().map(|tried| (tried.number, tried.error.as_deref())).collect();
    assert_eq!(told, [(1, Some("refusal 1")), (2, Some("refusal 2")), (3, None)]);
    assert!(timeline.iter().all(|tried| tried.worker == "worker"));
    Ok(())
}

async fn a_message_out_of_attempts_is_dead_with_its_last_error(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (failing(99), order("1"));
    let relay = outbox.start(destination("app").policy(at_once(3)), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Dead).await?;
    relay.stop().await?;
    let dead = outbox.delivery("app", message.id).await?;
    assert_eq!((dead.attempts, dead.error.as_deref(), dead.due_at), (3, Some("refusal 3"), None));
    assert_eq!(dead.timeline.len(), 3);
    assert_eq!(receiver.tries().len(), 3);
    Ok(())
}

async fn a_message_may_have_another_number_of_attempts_than_its_destination(outbox: Outbox) -> Result<()> {
    let receiver = failing(99);
    let (fewer, more) = (made(about("1").max_attempts(1)), made(about("2").max_attempts(5)));
    let relay = outbox.start(destination("app").policy(at_once(3)), receiver.sink());
    outbox.write(&[fewer.clone(), more.clone()]).await?;
    outbox.until_status("app", fewer.id, Status::Dead).await?;
    outbox.until_status("app", more.id, Status::Dead).await?;
    relay.stop().await?;
    assert_eq!((receiver.tries_of(fewer.id).len(), receiver.tries_of(more.id).len()), (1, 5));
    Ok(())
}

async fn a_rejected_message_is_dead_at_once(outbox: Outbox) -> Result<()> {
    let message = order("1");
    let receiver = answering_to(message.id, |_| Err(Error::reject("no such thing")));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Dead).await?;
    relay.stop().await?;
    let dead = outbox.delivery("app", message.id).await?;
    assert_eq!((dead.attempts, dead.error.as_deref()), (1, Some("no such thing")));
    assert_eq!(receiver.tries().len(), 1);
    Ok(())
}

/// How long passed between the first and the second attempt.
fn pause(receiver: &Receiver, id: MessageId) -> Duration {
    let tries = receiver.tries_of(id);
    tries[1].at - tries[0].at
}

/// Stores keep milliseconds, so a wait may be one short.
const WAIT: Duration = Duration::from_millis(300);
const SHORTEST: Duration = Duration::from_millis(299);

async fn the_backoff_of_the_policy_passes_between_two_attempts(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (failing(1), order("1"));
    let policy = Policy { backoff: Backoff::List(vec![WAIT]), ..Policy::default() };
    let relay = outbox.start(destination("app").policy(policy), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    receiver.until_has(&[message.id]).await;
    relay.stop().await?;
    assert!(pause(&receiver, message.id) >= SHORTEST);
    Ok(())
}

async fn a_destination_that_says_when_to_come_back_is_obeyed(outbox: Outbox) -> Result<()> {
    let message = order("1");
    let receiver = answering_to(message.id, |delivery| match delivery.attempt {
        1 => Err(Error::new(Verdict::RetryAfter(WAIT), "busy")),
        _ => Ok(()),
    });
    // By its policy it would not come back during this test.
    let policy = Policy { backoff: Backoff::List(vec![Duration::from_secs(3_600)]), ..Policy::default() };
    let relay = outbox.start(destination("app").policy(policy), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    receiver.until_has(&[message.id]).await;
    relay.stop().await?;
    assert!(pause(&receiver, message.id) >= SHORTEST);
    Ok(())
}

async fn a_destination_that_says_to_come_back_never_is_not_believed(outbox: Outbox) -> Result<()> {
    let (message, others) = (order("1"), orders("2", 3));
    let receiver = answering_to(message.id, |_| Err(Error::new(Verdict::RetryAfter(Duration::MAX), "never")));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Retrying).await?;
    outbox.write(&others).await?;
    receiver.until_has(&ids(&others)).await;
    relay.stop().await?;
    assert!(outbox.delivery("app", message.id).await?.due_at.is_some(), "it is tried again some day");
    Ok(())
}

pub(super) async fn later_messages_of_a_key_wait_for_one_that_is_tried_again(outbox: Outbox) -> Result<()> {
    let messages = orders("1", 12);
    let receiver = answering_to(messages[4].id, |delivery| match delivery.attempt {
        1..=3 => Err(Error::retry("not yet")),
        _ => Ok(()),
    });
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages[..9]).await?;
    outbox.write(&messages[9..]).await?;
    receiver.until_count(12).await;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), ids(&messages));
    Ok(())
}

async fn what_was_confirmed_before_a_failure_is_not_delivered_again(outbox: Outbox) -> Result<()> {
    let messages = orders("1", 6);
    let receiver = answering_to(messages[3].id, |delivery| match delivery.attempt {
        1 => Err(Error::retry("not yet")),
        _ => Ok(()),
    });
    outbox.write(&messages).await?;
    let relay = outbox.start(destination("app"), receiver.sink());
    receiver.until_count(6).await;
    relay.stop().await?;
    let tried: Vec<usize> = messages.iter().map(|message| receiver.tries_of(message.id).len()).collect();
    assert_eq!(tried, [1, 1, 1, 2, 1, 1]);
    assert_eq!(receiver.runs()[0], 6, "they were handed over together");
    Ok(())
}

async fn a_long_error_is_cut_for_the_timeline_and_more_so_for_the_message(outbox: Outbox) -> Result<()> {
    let message = order("1");
    let receiver = answering_to(message.id, |_| Err(Error::reject("ä".repeat(6_000_000))));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Dead).await?;
    relay.stop().await?;
    let delivery = outbox.delivery("app", message.id).await?;
    assert_eq!(delivery.error.unwrap_or_default(), "ä".repeat(MAX_BRIEF_CHARS));
    assert_eq!(delivery.timeline[0].error.as_deref().unwrap_or_default(), "ä".repeat(MAX_ERROR_BYTES / 2));
    Ok(())
}
