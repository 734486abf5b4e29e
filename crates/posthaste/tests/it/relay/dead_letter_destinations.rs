//! What a dead-letter destination gets, and that it gets it once.

use posthaste::Result;
use posthaste::destination::{Destination, Route};
use posthaste::error::Kind;
use posthaste::inspect::{Operation, Status};
use posthaste::message::Message;
use posthaste::rules::dead_letter::header;
use posthaste::sink::Error;
use posthaste::testkit::waiting::eventually;

use super::making::{at_once, destination, order, orders, settings};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    what_dies_is_also_delivered_to_the_dead_letter_destination_with_its_reason,
    what_dies_again_after_a_replay_is_told_again,
    a_dead_letter_destination_that_fails_has_its_own_policy_and_no_dead_letters,
}

fn letters_of(dead: &Receiver) -> Vec<Message> {
    dead.arrivals().into_iter().map(|tried| (*tried.delivery.message).clone()).collect()
}

fn with_letters() -> Destination {
    destination("app").policy(at_once(2)).dead_letters_to("dead")
}

fn for_letters() -> Destination {
    destination("dead").route(Route::named_only())
}

async fn what_dies_is_also_delivered_to_the_dead_letter_destination_with_its_reason(outbox: Outbox) -> Result<()> {
    let messages = orders("1", 3);
    let (rejected, failing) = (order("2"), order("3"));
    let ids = (rejected.id, failing.id);
    let app = Receiver::answering(move |delivery| match delivery.message.id {
        id if id == ids.0 => Err(Error::reject("no such customer\nsecond line")),
        id if id == ids.1 => Err(Error::retry("busy")),
        _ => Ok(()),
    });
    let dead = Receiver::new();
    let sinks = vec![(with_letters(), app.sink()), (for_letters(), dead.sink())];
    let relay = outbox.start_with(settings("w"), sinks);
    outbox.write(&messages).await?;
    outbox.write(&[rejected.clone(), failing.clone()]).await?;
    dead.until_count(2).await;
    relay.stop().await?;

    let letter_of = |message: &Message| {
        let all = letters_of(&dead);
        let mut about = all.iter().filter(|letter| letter.headers.get(header::ID) == Some(&message.id.to_string()));
        let (one, another) = (about.next().expect("a letter").clone(), about.next());
        assert!(another.is_none(), "once");
        one
    };
    for (message, reason, attempts, error) in
        [(&rejected, "rejected", "1", "no such customer second line"), (&failing, "attempts", "2", "busy")]
    {
        let letter = letter_of(message);
        let header = |name| letter.headers.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!((header(header::REASON), header(header::ATTEMPTS)), (reason, attempts));
        assert_eq!((header(header::ERROR), header(header::DESTINATION)), (error, "app"));
        assert_eq!(
            (&letter.payload, &letter.key, &letter.event_type),
            (&message.payload, &message.key, &message.event_type)
        );
        assert!(letter.occurred_at >= message.occurred_at, "its time is that of the death");
        assert_eq!(outbox.status("app", message.id).await?, Some(Status::Dead), "and it can still be replayed here");
        assert_eq!(outbox.status("app", letter.id).await?, None, "a letter goes nowhere else");
    }
    assert_eq!(letters_of(&dead).len(), 2);
    Ok(())
}

async fn what_dies_again_after_a_replay_is_told_again(outbox: Outbox) -> Result<()> {
    let message = order("1");
    let app = Receiver::answering(|_| Err(Error::reject("no")));
    let dead = Receiver::new();
    let start = || {
        let sinks = vec![(with_letters(), app.sink()), (for_letters(), dead.sink())];
        outbox.start_with(settings("w"), sinks)
    };
    let relay = start();
    outbox.write(std::slice::from_ref(&message)).await?;
    dead.until_count(1).await;
    relay.stop().await?;
    let relay = start();
    outbox.operate(Operation::Replay, &[message.id]).await?;
    dead.until_count(2).await;
    relay.stop().await?;
    let all = letters_of(&dead);
    assert!(all.len() == 2 && all[0].id != all[1].id, "{all:?}");
    Ok(())
}

async fn a_dead_letter_destination_that_fails_has_its_own_policy_and_no_dead_letters(outbox: Outbox) -> Result<()> {
    let message = order("1");
    let app = Receiver::answering(|_| Err(Error::reject("no")));
    let dead = Receiver::answering(|_| Err(Error::retry("full")));
    let sinks = vec![(with_letters(), app.sink()), (for_letters().policy(at_once(3)), dead.sink())];
    let relay = outbox.start_with(settings("w"), sinks);
    outbox.write(std::slice::from_ref(&message)).await?;
    eventually("the letter is dead", || async { Ok(outbox.counts("dead").await?.dead == 1) }).await?;
    relay.stop().await?;
    assert_eq!((app.tries().len(), dead.tries().len()), (1, 3));
    assert_eq!(outbox.kept().await?, 2, "the message and its letter, and no letter about the letter");
    Ok(())
}

#[tokio::test]
async fn a_dead_letter_destination_has_to_be_there_and_ends_the_chain() {
    let outbox = Outbox::in_memory().await;
    let sink = Receiver::new();
    let cases = [
        (vec![destination("app").dead_letters_to("nowhere")], "is `nowhere`, and there is no such destination"),
        (vec![destination("app").dead_letters_to("app")], "is the destination itself"),
        (
            vec![destination("app").dead_letters_to("b"), destination("b").dead_letters_to("c"), destination("c")],
            "is `b`, which has dead letters of its own",
        ),
    ];
    for (destinations, says) in cases {
        let sinks = destinations.into_iter().map(|destination| (destination, sink.sink())).collect();
        let error = outbox.start_with(settings("w"), sinks).stop().await.expect_err("it cannot be meant");
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.to_string().contains(says), "{error}");
    }
}
