//! When the relay looks and hands over: at once, in batches, after a delay.

use std::time::{Duration, Instant};

use posthaste::Result;
use posthaste::relay::Settings;

use super::making::{destination, order, orders, settings};
use super::outbox::{DEADLINE, Outbox, until};
use super::receiver::Receiver;

on_every_store! {
    what_is_written_is_handed_over_at_once,
    a_batch_delay_gathers_messages_into_one_run,
    a_run_is_no_longer_than_its_destination_allows,
    no_more_runs_are_in_flight_than_the_destination_allows,
    nothing_happens_before_the_start_delay_is_over,
    a_relay_can_be_stopped_during_its_start_delay,
}

/// The poll interval is beyond the deadline, so that only a hint can be the cause.
async fn what_is_written_is_handed_over_at_once(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 5));
    let patient = Settings { poll_interval: 2 * DEADLINE, ..settings("worker") };
    let relay = outbox.start_with(patient, vec![(destination("app"), receiver.sink())]);
    for (n, message) in messages.iter().enumerate() {
        outbox.write(std::slice::from_ref(message)).await?;
        receiver.until_count(n + 1).await;
    }
    assert_eq!(receiver.runs(), [1; 5]);
    relay.kill().await;
    Ok(())
}

async fn a_batch_delay_gathers_messages_into_one_run(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 6));
    let mut app = destination("app");
    app.batch_delay = Duration::from_millis(600);
    let relay = outbox.start(app, receiver.sink());
    until("the relay has its partitions", || relay.partitions() > 0).await;
    let started = Instant::now();
    for message in &messages {
        outbox.write(std::slice::from_ref(message)).await?;
    }
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert!(receiver.arrivals()[0].at - started >= Duration::from_millis(600));
    assert!(receiver.runs()[0] > 1, "at once, they would have come one by one: {:?}", receiver.runs());
    Ok(())
}

async fn a_run_is_no_longer_than_its_destination_allows(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 10));
    let mut app = destination("app");
    app.max_run = 4;
    outbox.write(&messages).await?;
    let relay = outbox.start(app, receiver.sink());
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert_eq!(receiver.runs(), [4, 4, 2]);
    Ok(())
}

async fn no_more_runs_are_in_flight_than_the_destination_allows(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let messages: Vec<_> = (0..20).map(|n| order(&n.to_string())).collect();
    let mut app = destination("app");
    app.max_in_flight = 3;
    receiver.close();
    outbox.write(&messages).await?;
    let relay = outbox.start(app, receiver.sink());
    until("the destination is busy", || receiver.present("worker") >= 3 && relay.sees("app").in_flight >= 3).await;
    assert_eq!((receiver.present("worker"), relay.sees("app").in_flight), (3, 3));
    receiver.open();
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

async fn nothing_happens_before_the_start_delay_is_over(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), order("1"));
    let delay = Duration::from_millis(300);
    outbox.write(std::slice::from_ref(&message)).await?;
    let started = Instant::now();
    let delayed = Settings { start_delay: delay, ..settings("worker") };
    let relay = outbox.start_with(delayed, vec![(destination("app"), receiver.sink())]);
    receiver.until_has(&[message.id]).await;
    relay.stop().await?;
    assert!(receiver.arrivals()[0].at - started >= delay);
    Ok(())
}

async fn a_relay_can_be_stopped_during_its_start_delay(outbox: Outbox) -> Result<()> {
    let (receiver, message) = (Receiver::new(), order("1"));
    outbox.write(std::slice::from_ref(&message)).await?;
    let delayed = Settings { start_delay: 2 * DEADLINE, ..settings("worker") };
    let relay = outbox.start_with(delayed, vec![(destination("app"), receiver.sink())]);
    relay.stop().await?;
    assert!(receiver.tries().is_empty());
    Ok(())
}
