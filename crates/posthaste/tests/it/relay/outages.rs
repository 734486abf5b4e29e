//! A destination that is out of reach: nothing is held against the messages, and it ends by itself.

use std::time::Duration;

use posthaste::Result;
use posthaste::inspect::Status;
use posthaste::relay::Settings;
use posthaste::sink::Error;

use super::making::{at_once, destination, ids, interleaved, order, orders};
use super::outbox::{Outbox, eventually, until};
use super::receiver::Receiver;

on_every_store! {
    an_outage_spends_no_attempts_and_ends_when_a_probe_succeeds,
    an_outage_in_the_middle_of_a_run_repeats_nothing_that_was_confirmed,
    an_outage_of_one_destination_is_not_felt_by_another,
    a_message_for_which_alone_the_destination_is_out_of_reach_is_set_aside,
    a_relay_can_be_stopped_during_an_outage,
    operators_hear_of_an_outage_and_of_its_end_at_once,
}

pub(super) async fn an_outage_spends_no_attempts_and_ends_when_a_probe_succeeds(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(10, 5));
    receiver.set_reachable(false);
    // A single spent attempt would be one too many.
    let relay = outbox.start(destination("app").policy(at_once(1)), receiver.sink());
    outbox.write(&messages).await?;
    until("the outage is noticed and probed", || relay.sees("app").outage.is_some() && receiver.probes() >= 2).await;
    let counts = outbox.counts("app").await?;
    assert_eq!((counts.dead, counts.retrying, counts.held_keys), (0, 0, 0));
    receiver.set_reachable(true);
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.tries().iter().all(|tried| tried.delivery.attempt == 1));
    assert_eq!(outbox.delivery("app", messages[0].id).await?.timeline, []);
    Ok(())
}

async fn an_outage_in_the_middle_of_a_run_repeats_nothing_that_was_confirmed(outbox: Outbox) -> Result<()> {
    let messages = orders("1", 8);
    let third = messages[2].id;
    let broken = std::sync::atomic::AtomicBool::new(false);
    let receiver = Receiver::answering(move |delivery| {
        let first_time = delivery.message.id == third && !broken.swap(true, std::sync::atomic::Ordering::SeqCst);
        if first_time { Err(Error::unreachable("connection reset")) } else { Ok(()) }
    });
    outbox.write(&messages).await?;
    let relay = outbox.start(destination("app").policy(at_once(1)), receiver.sink());
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), ids(&messages));
    Ok(())
}

async fn an_outage_of_one_destination_is_not_felt_by_another(outbox: Outbox) -> Result<()> {
    let (up, down, messages) = (Receiver::new(), Receiver::new(), interleaved(5, 4));
    down.set_reachable(false);
    let destinations = vec![(destination("up"), up.sink()), (destination("down"), down.sink())];
    let relay = outbox.start_with(super::making::settings("worker"), destinations);
    outbox.write(&messages).await?;
    up.until_count(messages.len()).await;
    until("the outage is noticed", || relay.sees("down").outage.is_some()).await;
    assert_eq!(relay.sees("up").outage, None);
    down.set_reachable(true);
    down.until_count(messages.len()).await;
    relay.stop().await?;
    up.assert_got(&messages);
    down.assert_got(&messages);
    Ok(())
}

/// As long as others are delivered, it is the message that is to blame.
async fn a_message_for_which_alone_the_destination_is_out_of_reach_is_set_aside(outbox: Outbox) -> Result<()> {
    let lonely = order("lonely");
    let receiver = Receiver::answering(move |delivery| match &delivery.message.key {
        Some(key) if key == "order/lonely" => Err(Error::unreachable("connection reset")),
        _ => Ok(()),
    });
    let relay = outbox.start(destination("app").policy(at_once(1)), receiver.sink());
    outbox.write(std::slice::from_ref(&lonely)).await?;
    let others = std::sync::Mutex::new(Vec::new());
    eventually("the message is dead", || async {
        let other = order("other");
        outbox.write(std::slice::from_ref(&other)).await?;
        others.lock().expect("nobody panics here").push(other);
        Ok(outbox.status("app", lonely.id).await? == Some(Status::Dead))
    })
    .await?;
    let others = others.into_inner().expect("nobody panics here");
    receiver.until_count(others.len()).await;
    relay.stop().await?;
    receiver.assert_got(&others);
    assert_eq!(outbox.delivery("app", lonely.id).await?.error.as_deref(), Some("connection reset"));
    Ok(())
}

async fn a_relay_can_be_stopped_during_an_outage(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(3, 3));
    receiver.set_reachable(false);
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    until("the outage is noticed", || relay.sees("app").outage.is_some()).await;
    relay.stop().await?;
    receiver.set_reachable(true);
    let relay = outbox.start(destination("app"), receiver.sink());
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.tries().iter().all(|tried| tried.delivery.attempt == 1));
    Ok(())
}

/// The next renewal of a lease, which carries the report of a worker, is twenty minutes away.
async fn operators_hear_of_an_outage_and_of_its_end_at_once(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let settings = Settings { lease_ttl: Duration::from_secs(3_600), ..super::making::settings("worker") };
    let relay = outbox.start_with(settings, vec![(destination("app"), receiver.sink())]);
    outbox.write(&[order("1")]).await?;
    receiver.until_count(1).await;
    receiver.set_reachable(false);
    outbox.write(&[order("2")]).await?;
    eventually("operators hear of it", || async { Ok(is_told(&outbox).await? == Some(true)) }).await?;
    receiver.set_reachable(true);
    eventually("operators hear of its end", || async { Ok(is_told(&outbox).await? == Some(false)) }).await?;
    relay.stop().await
}

/// Whether the only worker reports an outage of its only destination; nothing before its first report.
async fn is_told(outbox: &Outbox) -> Result<Option<bool>> {
    let workers = outbox.store().overview().await?.workers;
    let report = workers.iter().find_map(|worker| worker.report.as_ref()?.destinations.first());
    Ok(report.map(|report| report.outage.is_some()))
}
