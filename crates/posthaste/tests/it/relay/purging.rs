//! What was delivered is removed some day; nothing else is.

use std::time::Duration;

use posthaste::Result;
use posthaste::inspect::Status;
use posthaste::message::Message;
use posthaste::relay::Settings;
use posthaste::sink::Error;

use super::making::{about, destination, ids, made, order, orders, settings};
use super::outbox::{Outbox, eventually};
use super::receiver::Receiver;

on_every_store! {
    a_purge_on_start_removes_what_was_delivered,
    a_purge_by_schedule_removes_only_what_was_delivered,
    what_is_younger_than_the_retention_is_kept,
}

/// Keeps nothing that was delivered.
fn forgetful() -> Settings {
    Settings { retention: Some(Duration::ZERO), ..settings("worker") }
}

async fn a_purge_on_start_removes_what_was_delivered(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 1_500));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    assert_eq!(outbox.kept().await?, 1_500);
    let tidy = Settings { purge_on_start: true, purge_interval: Duration::from_secs(3_600), ..forgetful() };
    let relay = outbox.start_with(tidy, vec![(destination("app"), receiver.sink())]);
    eventually("everything is removed", || async { Ok(outbox.kept().await? == 0) }).await?;
    relay.stop().await?;
    assert_eq!(receiver.arrived().len(), 1_500, "nothing is delivered again");
    Ok(())
}

async fn a_purge_by_schedule_removes_only_what_was_delivered(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::answering(|delivery| match delivery.message.event_type.as_str() {
        "order.poisoned" => Err(Error::reject("poison")),
        _ => Ok(()),
    });
    let poisoned = made(Message::builder("order.poisoned", "order", "1"));
    let waiting = orders("1", 2);
    let scheduled = made(about("2").due_at(order("clock").occurred_at + Duration::from_secs(3_600)));
    let kept = [&[poisoned][..], &waiting, &[scheduled]].concat();
    let delivered = orders("3", 20);
    let tidy = Settings { purge_interval: Duration::from_millis(50), ..forgetful() };
    let relay = outbox.start_with(tidy, vec![(destination("app"), receiver.sink())]);
    outbox.write(&[&kept[..], &delivered].concat()).await?;
    receiver.until_has(&ids(&delivered)).await;
    eventually("what was delivered is removed", || async { Ok(outbox.kept().await? == 4) }).await?;
    for (message, status) in kept.iter().zip([Status::Dead, Status::Waiting, Status::Waiting, Status::Scheduled]) {
        outbox.until_status("app", message.id, status).await?;
    }
    relay.stop().await
}

async fn what_is_younger_than_the_retention_is_kept(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 3));
    let interval = Duration::from_millis(20);
    let tidy = Settings { retention: Some(Duration::from_secs(3_600)), purge_interval: interval, ..forgetful() };
    let relay = outbox.start_with(tidy, vec![(destination("app"), receiver.sink())]);
    for message in &messages {
        outbox.write(std::slice::from_ref(message)).await?;
        outbox.until_status("app", message.id, Status::Delivered).await?;
    }
    relay.stop().await?;
    assert_eq!(outbox.kept().await?, 3);
    Ok(())
}
