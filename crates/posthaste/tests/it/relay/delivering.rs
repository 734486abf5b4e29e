//! What is committed is delivered, in order, as it was written; what is not never was.

use posthaste::Result;
use posthaste::message::Message;

use super::making::{about, destination, interleaved, made, order, orders};
use super::outbox::Outbox;
use super::receiver::Receiver;

on_every_store! {
    every_committed_message_is_delivered_once_and_in_the_order_of_its_key,
    a_message_arrives_as_it_was_written,
    what_was_rolled_back_is_not_delivered,
    what_was_written_before_the_relay_started_is_delivered,
    a_relay_that_starts_again_goes_on_where_it_stopped,
    messages_without_a_key_are_delivered,
}

pub(super) async fn every_committed_message_is_delivered_once_and_in_the_order_of_its_key(
    outbox: Outbox,
) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(40, 25));
    let relay = outbox.start(destination("app"), receiver.sink());
    for transaction in messages.chunks(37) {
        outbox.write(transaction).await?;
    }
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

pub(super) async fn a_message_arrives_as_it_was_written(outbox: Outbox) -> Result<()> {
    let every_byte: Vec<u8> = (0..=255).collect();
    let full = about("1")
        .payload(every_byte, "application/x-anything")
        .header("b", "1")
        .header("a", "ä漢🎈")
        .header("b", "2")
        .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .tenant("tenant")
        .user("user")
        .correlation_id("correlation")
        .max_attempts(7)
        .origin("stream", "event");
    let messages = [made(full), made(about("1").payload("", "text/plain"))];
    let receiver = Receiver::new();
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    receiver.until_count(2).await;
    relay.stop().await?;
    let arrived: Vec<Message> =
        receiver.arrivals().iter().map(|arrival| Message::clone(&arrival.delivery.message)).collect();
    for written in &messages {
        // Debug leaves the payload out, so compare before printing.
        assert!(arrived.contains(written), "{written:?} is not in {arrived:?}");
    }
    Ok(())
}

async fn what_was_rolled_back_is_not_delivered(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), orders("1", 2));
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages[..1]).await?;
    outbox.begin(&orders("1", 3)).await?.roll_back().await?;
    outbox.write(&messages[1..]).await?;
    receiver.until_count(2).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

async fn what_was_written_before_the_relay_started_is_delivered(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(7, 5));
    outbox.write(&messages).await?;
    let relay = outbox.start(destination("app"), receiver.sink());
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}

async fn a_relay_that_starts_again_goes_on_where_it_stopped(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), interleaved(5, 12));
    for (round, part) in messages.chunks(20).enumerate() {
        let relay = outbox.start(destination("app"), receiver.sink());
        outbox.write(part).await?;
        receiver.until_count(20 * (round + 1)).await;
        relay.stop().await?;
    }
    receiver.assert_got(&messages);
    Ok(())
}

async fn messages_without_a_key_are_delivered(outbox: Outbox) -> Result<()> {
    let receiver = Receiver::new();
    let unordered = (0..30).map(|_| made(about("any").unordered()));
    let messages: Vec<Message> = unordered.chain([order("1")]).collect();
    let relay = outbox.start(destination("app"), receiver.sink());
    outbox.write(&messages).await?;
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    Ok(())
}
