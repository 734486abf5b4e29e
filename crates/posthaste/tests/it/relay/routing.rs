//! Several destinations: each gets what it takes, at its own pace.

use posthaste::Result;
use posthaste::destination::{Destination, Route, StartFrom};
use posthaste::message::Message;
use posthaste::sink::Error;

use super::making::{about, destination, interleaved, made, orders, settings};
use super::outbox::{Outbox, until};
use super::receiver::Receiver;

on_every_store! {
    each_destination_gets_what_its_route_takes,
    a_message_that_names_a_destination_goes_only_there,
    what_nobody_takes_stops_nobody,
    a_destination_that_does_not_answer_slows_no_other,
    a_dead_message_at_one_destination_is_delivered_to_another,
    a_destination_added_later_gets_everything_from_where_it_starts,
}

fn event(event_type: &str, id: &str) -> Message {
    made(Message::builder(event_type, "thing", id))
}

fn routed(name: &str, pattern: &str) -> Destination {
    destination(name).route(Route::matching([pattern]))
}

async fn each_destination_gets_what_its_route_takes(outbox: Outbox) -> Result<()> {
    let (orders, created, all) = (Receiver::new(), Receiver::new(), Receiver::new());
    let destinations = vec![
        (routed("orders", "order.*"), orders.sink()),
        (routed("created", "*.created"), created.sink()),
        (destination("all"), all.sink()),
    ];
    let relay = outbox.start_with(settings("worker"), destinations);
    let types = ["order.created", "order.paid", "user.created", "user.left"];
    let messages: Vec<Message> = (0..40).map(|n| event(types[n % 4], &format!("{}", n % 3))).collect();
    outbox.write(&messages).await?;
    all.until_count(40).await;
    orders.until_count(20).await;
    created.until_count(20).await;
    relay.stop().await?;
    let taken = |take: fn(&str) -> bool| -> Vec<Message> {
        messages.iter().filter(|message| take(&message.event_type)).cloned().collect()
    };
    orders.assert_got(&taken(|event_type| event_type.starts_with("order.")));
    created.assert_got(&taken(|event_type| event_type.ends_with(".created")));
    all.assert_got(&messages);
    Ok(())
}

async fn a_message_that_names_a_destination_goes_only_there(outbox: Outbox) -> Result<()> {
    let (all, named) = (Receiver::new(), Receiver::new());
    let destinations =
        vec![(destination("all"), all.sink()), (destination("named").route(Route::named_only()), named.sink())];
    let relay = outbox.start_with(settings("worker"), destinations);
    let to_named: Vec<Message> = (0..5).map(|_| made(about("1").destination("named"))).collect();
    let to_all = orders("1", 5);
    let messages: Vec<Message> = to_named.iter().zip(&to_all).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    outbox.write(&messages).await?;
    named.until_count(5).await;
    all.until_count(5).await;
    relay.stop().await?;
    named.assert_got(&to_named);
    all.assert_got(&to_all);
    Ok(())
}

async fn what_nobody_takes_stops_nobody(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let relay = outbox.start(routed("orders", "order.*"), receiver.sink());
    let strange = made(about("1").destination("nowhere"));
    let messages: Vec<Message> =
        (0..200).map(|n| if n % 10 == 0 { made(about("1")) } else { event("user.left", "1") }).collect();
    outbox.write(&[&[strange], &messages[..]].concat()).await?;
    receiver.until_count(20).await;
    relay.stop().await?;
    let taken: Vec<Message> = messages.into_iter().filter(|message| message.event_type.starts_with("order.")).collect();
    receiver.assert_got(&taken);
    assert_eq!(outbox.counts("orders").await?.pending, 0);
    Ok(())
}

async fn a_destination_that_does_not_answer_slows_no_other(outbox: Outbox) -> Result<()> {
    let (silent, quick, messages) = (Receiver::new(), Receiver::new(), interleaved(50, 60));
    silent.close();
    let destinations = vec![(destination("silent"), silent.sink()), (destination("quick"), quick.sink())];
    let relay = outbox.start_with(settings("worker"), destinations);
    for part in messages.chunks(1_000) {
        outbox.write(part).await?;
    }
    quick.until_count(messages.len()).await;
    until("the silent one is busy", || relay.sees("silent").in_flight > 0).await;
    assert_eq!(silent.arrived(), []);
    silent.open();
    silent.until_count(messages.len()).await;
    relay.stop().await?;
    silent.assert_got(&messages);
    quick.assert_got(&messages);
    Ok(())
}

async fn a_dead_message_at_one_destination_is_delivered_to_another(outbox: Outbox) -> Result<()> {
    let (strict, lax, messages) = (Receiver::answering(|_| Err(Error::reject("no"))), Receiver::new(), orders("1", 3));
    let destinations = vec![(destination("strict"), strict.sink()), (destination("lax"), lax.sink())];
    let relay = outbox.start_with(settings("worker"), destinations);
    outbox.write(&messages).await?;
    lax.until_count(3).await;
    until("the strict one refuses", || relay.sees("strict").dead == 1).await;
    relay.stop().await?;
    lax.assert_got(&messages);
    assert_eq!(strict.tries().len(), 1, "the others wait behind the dead one");
    Ok(())
}

async fn a_destination_added_later_gets_everything_from_where_it_starts(outbox: Outbox) -> Result<()> {
    let (first, beginning, now) = (Receiver::new(), Receiver::new(), Receiver::new());
    let (old, new) = (interleaved(4, 3), interleaved(4, 2));
    let relay = outbox.start(destination("first"), first.sink());
    outbox.write(&old).await?;
    first.until_count(old.len()).await;
    relay.stop().await?;
    let late = |name: &str, start_from| destination(name).start_from(start_from);
    let destinations = vec![
        (destination("first"), first.sink()),
        (late("beginning", StartFrom::Beginning), beginning.sink()),
        (late("now", StartFrom::Now), now.sink()),
    ];
    let relay = outbox.start_with(settings("worker"), destinations);
    beginning.until_count(old.len()).await;
    outbox.write(&new).await?;
    beginning.until_count(old.len() + new.len()).await;
    first.until_count(old.len() + new.len()).await;
    now.until_count(new.len()).await;
    relay.stop().await?;
    let all = [&old[..], &new].concat();
    first.assert_got(&all);
    beginning.assert_got(&all);
    now.assert_got(&new);
    Ok(())
}
