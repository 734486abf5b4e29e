//! Messages with a time, replays, pauses and rates: what goes later, and what does not wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use posthaste::Result;
use posthaste::destination::Rate;
use posthaste::inspect::{Operation, Status, TenantChange, TenantPause};
use posthaste::message::Message;
use posthaste::sink::Error;

use super::making::{about, at_once, destination, ids, interleaved, made, order, orders, settings};
use super::outbox::{Outbox, eventually, until};
use super::receiver::Receiver;

on_every_store! {
    a_scheduled_message_goes_when_its_time_has_come_and_holds_nobody,
    a_scheduled_message_survives_a_restart,
    a_scheduled_message_can_be_sent_now_or_never,
    a_delivered_message_is_delivered_again_when_it_is_replayed,
    a_paused_destination_gets_nothing_until_it_is_resumed,
    a_destination_that_wants_no_more_is_paused_for_everyone_until_it_is_resumed,
    a_paused_tenant_waits_and_nobody_else_does,
    what_is_replayed_of_a_paused_tenant_waits_and_is_still_known_as_replayed,
    a_tenant_over_its_rate_holds_only_itself_and_loses_nothing,
    a_destination_is_served_no_faster_than_its_rate,
}

/// So long from now. A message says when it was made, and that is now.
fn later(wait: Duration) -> Timestamp {
    order("clock").occurred_at + wait
}

/// Long enough for what has to happen before, also on a busy machine.
const SOON: Duration = Duration::from_secs(4);
const NEXT_YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// Whether an arrival was not before its time, by the clock that stamped the messages.
fn is_due(message: &Message) -> bool {
    message.due_at.is_none_or(|due_at| order("clock").occurred_at >= due_at)
}

pub(super) async fn a_scheduled_message_goes_when_its_time_has_come_and_holds_nobody(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::answering(|delivery| {
        assert!(is_due(&delivery.message), "it came before its time");
        Ok(())
    });
    let relay = outbox.start(destination("app"), receiver.sink());
    let scheduled = made(about("1").due_at(later(SOON)));
    let followers = orders("1", 3);
    outbox.write(&[std::slice::from_ref(&scheduled), &followers].concat()).await?;
    receiver.until_has(&ids(&followers)).await;
    receiver.until_has(&[scheduled.id]).await;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), [ids(&followers), vec![scheduled.id]].concat());
    Ok(())
}

async fn a_scheduled_message_survives_a_restart(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let relay = outbox.start(destination("app"), receiver.sink());
    let scheduled = made(about("1").due_at(later(SOON)));
    outbox.write(std::slice::from_ref(&scheduled)).await?;
    outbox.until_status("app", scheduled.id, Status::Scheduled).await?;
    relay.stop().await?;
    let relay = outbox.start(destination("app"), receiver.sink());
    receiver.until_has(&[scheduled.id]).await;
    relay.stop().await
}

async fn a_scheduled_message_can_be_sent_now_or_never(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let relay = outbox.start(destination("app"), receiver.sink());
    let scheduled: Vec<Message> = (0..2).map(|_| made(about("1").due_at(later(NEXT_YEAR)))).collect();
    outbox.write(&scheduled).await?;
    outbox.until_status("app", scheduled[1].id, Status::Scheduled).await?;
    outbox.operate(Operation::Discard, &[scheduled[0].id]).await?;
    outbox.operate(Operation::Replay, &[scheduled[1].id]).await?;
    receiver.until_has(&[scheduled[1].id]).await;
    outbox.until_status("app", scheduled[0].id, Status::Discarded).await?;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), [scheduled[1].id]);
    assert_eq!(outbox.counts("app").await?.scheduled, 0);
    Ok(())
}

async fn a_delivered_message_is_delivered_again_when_it_is_replayed(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 3));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    outbox.until_status("app", messages[2].id, Status::Delivered).await?;
    assert_eq!(outbox.operate(Operation::Replay, &ids(&messages[..2])).await?.affected, 2);
    receiver.until_count(5).await;
    outbox.until_status("app", messages[1].id, Status::Delivered).await?;
    relay.stop().await?;
    assert_eq!(receiver.arrived(), [ids(&messages), ids(&messages[..2])].concat());
    Ok(())
}

async fn a_paused_destination_gets_nothing_until_it_is_resumed(outbox: Outbox) -> Result<()> {
    let (paused, other, messages) = (Receiver::new(), Receiver::new(), orders("1", 4));
    let destinations = vec![(destination("paused"), paused.sink()), (destination("other"), other.sink())];
    let relay = outbox.start_with(settings("worker"), destinations);
    outbox.write(&messages[..1]).await?;
    paused.until_count(1).await;
    assert!(outbox.pause("paused").await?);
    until("the worker knows of the pause", || relay.sees("paused").paused).await;
    outbox.write(&messages[1..]).await?;
    other.until_count(4).await;
    outbox.until_status("other", messages[3].id, Status::Delivered).await?;
    assert_eq!(paused.arrived().len(), 1);
    assert!(outbox.delivery("paused", messages[3].id).await?.paused);
    assert!(outbox.resume("paused").await?);
    paused.until_count(4).await;
    relay.stop().await?;
    paused.assert_got(&messages);
    other.assert_got(&messages);
    Ok(())
}

async fn change_tenant(outbox: &Outbox, change: TenantChange) -> Result<()> {
    assert!(outbox.store().change_tenant(&"app".into(), &change).await?);
    Ok(())
}

fn pause(tenant: &str) -> TenantChange {
    TenantChange::Pause(TenantPause { tenant: tenant.into(), since: Timestamp::UNIX_EPOCH, who: "ann".into() })
}

/// Costs no attempt, keeps the order, survives the worker.
async fn a_paused_tenant_waits_and_nobody_else_does(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let of =
        |tenant: &str, count: usize| -> Vec<Message> { (0..count).map(|_| made(about("1").tenant(tenant))).collect() };
    let unordered: Vec<Message> = (0..2).map(|_| made(about("1").tenant("slow").unordered())).collect();
    let (slow, quick, none) = (of("slow", 4), of("quick", 3), orders("1", 2));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&none[..1]).await?;
    receiver.until_count(1).await;
    change_tenant(&outbox, pause("slow")).await?;
    until("the worker knows of the pause", || relay.sees("app").paused_tenants == 1).await;
    outbox.write(&[&slow[..], &unordered, &quick, &none[1..]].concat()).await?;
    receiver.until_has(&ids(&quick)).await;
    receiver.until_has(&ids(&none)).await;
    outbox.until_status("app", unordered[1].id, Status::Paused).await?;
    outbox.until_status("app", slow[3].id, Status::Waiting).await?;
    relay.stop().await?;
    let relay = outbox.start(destination("app"), receiver.sink());
    let counts = outbox.counts("app").await?;
    assert_eq!((counts.paused_deliveries, counts.dead, counts.retrying), (3, 0, 0));
    let waits = outbox.delivery("app", unordered[0].id).await?;
    assert!(waits.attempts == 0 && waits.paused_tenant.is_some_and(|pause| pause.who == "ann"));
    change_tenant(&outbox, TenantChange::Resume("slow".into())).await?;
    receiver.until_has(&ids(&slow)).await;
    receiver.until_has(&ids(&unordered)).await;
    outbox.until_status("app", slow[3].id, Status::Delivered).await?;
    relay.stop().await?;
    receiver.assert_got(&[slow, quick, none, unordered].concat());
    Ok(())
}

async fn what_is_replayed_of_a_paused_tenant_waits_and_is_still_known_as_replayed(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), made(about("1").tenant("slow")));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&message)).await?;
    outbox.until_status("app", message.id, Status::Delivered).await?;
    relay.stop().await?;
    change_tenant(&outbox, pause("slow")).await?;
    outbox.operate(Operation::Replay, &[message.id]).await?;
    let beside = order("beside");
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(std::slice::from_ref(&beside)).await?;
    eventually("it is put aside", || async {
        Ok(outbox.delivery("app", message.id).await?.due_at.is_some_and(|due| due > later(Duration::ZERO)))
    })
    .await?;
    receiver.until_has(&[beside.id]).await;
    assert_eq!(receiver.tries_of(message.id).len(), 1);
    change_tenant(&outbox, TenantChange::Resume("slow".into())).await?;
    until("it goes out once more", || receiver.tries_of(message.id).len() == 2).await;
    relay.stop().await?;
    assert!(receiver.tries_of(message.id)[1].delivery.replayed);
    Ok(())
}

async fn a_destination_that_wants_no_more_is_paused_for_everyone_until_it_is_resumed(outbox: Outbox) -> Result<()> {
    let (gone, messages) = (Arc::new(AtomicBool::new(true)), orders("1", 4));
    let answer = gone.clone();
    let receiver = Receiver::answering(move |_| match answer.load(Ordering::SeqCst) {
        true => Err(Error::gone("410 Gone")),
        false => Ok(()),
    });
    // A single spent attempt would be one too many.
    let relay = outbox.start(destination("app").policy(at_once(1)), receiver.sink());
    outbox.write(&messages).await?;
    eventually("the store knows of the pause", || async { Ok(outbox.counts("app").await?.paused) }).await?;
    eventually("and so does the audit log", || async { Ok(outbox.last_change().await?.is_some()) }).await?;
    let change = outbox.last_change().await?.expect("the pause");
    assert_eq!((change.who.as_str(), change.action.as_str()), ("worker", "pause"));
    assert!(change.target.contains("app") && change.target.contains("410 Gone"), "{}", change.target);
    assert_eq!(outbox.counts("app").await?.dead, 0);
    gone.store(false, Ordering::SeqCst);
    assert!(outbox.resume("app").await?);
    receiver.until_count(4).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

pub(super) async fn a_tenant_over_its_rate_holds_only_itself_and_loses_nothing(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let of = |tenant: &str, key: usize| made(about(&format!("o-{key}")).tenant(tenant));
    let greedy: Vec<Message> = (0..30).map(|n| of("greedy", n % 3)).collect();
    let modest: Vec<Message> = (0..3).map(|n| of("modest", n)).chain([order("without a tenant")]).collect();
    let rate = Rate { per_second: 40.0, burst: 5 };
    let mut app = destination("app");
    app.tenant_rate = Some(rate);
    outbox.write(&greedy).await?;
    outbox.write(&modest).await?;
    let relay = outbox.start(app, receiver.sink());
    receiver.until_count(greedy.len() + modest.len()).await;
    relay.stop().await?;
    receiver.assert_got(&[&greedy[..], &modest].concat());
    let arrivals = receiver.arrivals();
    let last = |wanted: &[Message]| {
        let of_these = arrivals.iter().filter(|arrival| ids(wanted).contains(&arrival.delivery.message.id));
        of_these.map(|arrival| arrival.at).max().expect("they arrived")
    };
    assert!(last(&modest) < last(&greedy), "the modest tenant did not wait for the greedy one");
    let took = last(&greedy) - arrivals[0].at;
    assert!(
        took >= Duration::from_secs(25) / 40 - Duration::from_millis(5),
        "thirty at its rate take longer: {took:?}"
    );
    Ok(())
}

async fn a_destination_is_served_no_faster_than_its_rate(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(5, 6));
    let mut app = destination("app");
    (app.rate, app.max_run) = (Some(Rate { per_second: 50.0, burst: 5 }), 1);
    outbox.write(&messages).await?;
    let relay = outbox.start(app, receiver.sink());
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    let arrivals = receiver.arrivals();
    let took = arrivals[arrivals.len() - 1].at - arrivals[0].at;
    assert!(
        took >= Duration::from_secs(25) / 50 - Duration::from_millis(5),
        "thirty at its rate take longer: {took:?}"
    );
    Ok(())
}
