//! Filters: what they leave out counts as passed, and what they cannot be asked about is dead, with the reason.

use posthaste::Result;
use posthaste::destination::Filter;
use posthaste::inspect::{Operation, Status};
use posthaste::message::Message;
use posthaste::retry::OnDead;
use posthaste::sink::Error;

use super::making::{about, at_once, destination, ids, made, order, settings};
use super::outbox::{Outbox, eventually};
use super::receiver::Receiver;

on_every_store! {
    a_destination_gets_what_its_filter_takes_in_order,
    what_a_filter_cannot_be_asked_about_is_dead_with_the_reason_and_blocks_its_key,
    with_skip_an_unfit_message_lets_its_key_go_on,
    a_filter_is_asked_again_when_a_parked_delivery_is_due,
}

/// Takes what has the user `yes`, leaves out what has none, and fails for all others.
fn filter() -> Filter {
    Filter::new(".user == \"yes\"", |message| match message.user.as_deref() {
        Some("yes") => Ok(true),
        None => Ok(false),
        Some(_) => Err("filter: what does that mean?".into()),
    })
}

fn of(user: &str) -> Message {
    made(about("1").user(user))
}

async fn a_destination_gets_what_its_filter_takes_in_order(outbox: Outbox) -> Result<()> {
    let (some, all) = (Receiver::new(), Receiver::new());
    let destinations = vec![(destination("some").filter(filter()), some.sink()), (destination("all"), all.sink())];
    let relay = outbox.start_with(settings("worker"), destinations);
    let messages: Vec<Message> = (0..60).map(|n| if n % 3 == 0 { of("yes") } else { order("1") }).collect();
    outbox.write(&messages).await?;
    all.until_count(60).await;
    some.until_count(20).await;
    let last = messages.last().expect("there are some").id;
    outbox.until_status("some", last, Status::Delivered).await?;
    relay.stop().await?;
    let taken: Vec<Message> = messages.iter().filter(|message| message.user.is_some()).cloned().collect();
    some.assert_got(&taken);
    all.assert_got(&messages);
    assert_eq!(outbox.counts("some").await?.pending, 0, "what is left out has passed");
    Ok(())
}

async fn what_a_filter_cannot_be_asked_about_is_dead_with_the_reason_and_blocks_its_key(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let relay = outbox.start(destination("some").filter(filter()), receiver.sink());
    let messages = [of("yes"), order("1"), of("maybe"), of("yes"), made(about("2").user("yes"))];
    outbox.write(&messages).await?;
    let [first, _, unfit, behind, other] = &messages;
    receiver.until_has(&[first.id, other.id]).await;
    outbox.until_status("some", unfit.id, Status::Dead).await?;
    outbox.until_status("some", behind.id, Status::Waiting).await?;
    let report = outbox.delivery("some", unfit.id).await?;
    assert_eq!((report.attempts, report.error.as_deref()), (1, Some("filter: what does that mean?")));
    assert!(receiver.tries_of(unfit.id).is_empty(), "the sink saw nothing of it");
    outbox.operate(Operation::Discard, &[unfit.id]).await?;
    receiver.until_has(&[behind.id]).await;
    relay.stop().await?;
    receiver.assert_got(&[first.clone(), behind.clone(), other.clone()]);
    Ok(())
}

async fn with_skip_an_unfit_message_lets_its_key_go_on(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let mut some = destination("some").filter(filter());
    some.policy.on_dead = OnDead::Skip;
    let relay = outbox.start(some, receiver.sink());
    let messages: Vec<Message> = (0..40).map(|n| of(if n % 4 == 1 { "maybe" } else { "yes" })).collect();
    outbox.write(&messages).await?;
    receiver.until_count(30).await;
    let unfit: Vec<Message> =
        messages.iter().filter(|message| message.user.as_deref() == Some("maybe")).cloned().collect();
    for id in ids(&unfit) {
        outbox.until_status("some", id, Status::Dead).await?;
    }
    relay.stop().await?;
    receiver.assert_got(&messages.into_iter().filter(|message| !unfit.contains(message)).collect::<Vec<_>>());
    Ok(())
}

async fn a_filter_is_asked_again_when_a_parked_delivery_is_due(outbox: Outbox) -> Result<()> {
    let refusing = Receiver::answering(|_| Err(Error::reject("not like that")));
    let relay = outbox.start(destination("some").policy(at_once(1)), refusing.sink());
    let messages = [order("1"), of("yes"), made(about("2").user("maybe"))];
    outbox.write(&messages).await?;
    let [left_out, behind, unfit] = &messages;
    outbox.until_status("some", left_out.id, Status::Dead).await?;
    outbox.until_status("some", unfit.id, Status::Dead).await?;
    relay.stop().await?;

    let receiver = Receiver::new();
    let relay = outbox.start(destination("some").filter(filter()), receiver.sink());
    outbox.operate(Operation::Replay, &[left_out.id, unfit.id]).await?;
    receiver.until_has(&[behind.id]).await;
    outbox.until_status("some", left_out.id, Status::Delivered).await?;
    eventually("the reason is the filter's", || async {
        Ok(outbox.delivery("some", unfit.id).await?.error.is_some_and(|error| error.starts_with("filter: ")))
    })
    .await?;
    relay.stop().await?;
    receiver.assert_got(std::slice::from_ref(behind));
    Ok(())
}
