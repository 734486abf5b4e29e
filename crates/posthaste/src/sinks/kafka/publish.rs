//! Records in order through one producer.

use std::time::Duration;

use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::DeliveryFuture;
use tokio::time::sleep;

use super::connection::{Client, Producer};
use super::encode::Record;
use super::listener::Health;
use super::settings::Settings;
use super::verdict::{self, Stop};

/// Between two looks at a client whose queue is full.
const PAUSE: Duration = Duration::from_millis(5);

/// Between two purges of a client that has stopped.
const PURGE: Duration = Duration::from_millis(100);

/// What is sent without waiting for what went before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    OneByOne,
    /// All that goes to places that have taken a message from this producer before. A broker that knows the producer takes nothing
    /// from it out of order; one that meets it for the first time takes whatever comes first.
    KnownPlaces,
    Everything,
}

/// What became of records.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) confirmed: usize,
    pub(super) stop: Option<Stop>,
}

/// Sends records until one is not confirmed.
pub(super) async fn in_order(producer: &Producer, records: &[Record<'_>], pace: Pace, settings: &Settings) -> Sent {
    let mut confirmed = 0;
    while confirmed < records.len() {
        let wave = wave(producer, &records[confirmed..], pace);
        let sent = send(producer, wave, settings).await;
        wave[..sent.confirmed].last().inspect(|record| producer.places.learn(&record.place, ()));
        confirmed += sent.confirmed;
        if sent.stop.is_some() {
            wave.get(sent.confirmed).inspect(|record| producer.places.forget(&record.place));
            return Sent { confirmed, stop: sent.stop };
        }
    }
    Sent { confirmed, stop: None }
}

/// The next records that may go together.
fn wave<'a, 'r>(producer: &Producer, records: &'a [Record<'r>], pace: Pace) -> &'a [Record<'r>] {
    let length = match pace {
        Pace::OneByOne => 1,
        Pace::KnownPlaces => {
            let new = records.iter().position(|record| producer.places.get(&record.place).is_none());
            new.map_or(records.len(), |new| new + 1)
        }
        Pace::Everything => records.len(),
    };
    &records[..length]
}

/// Hands as many records to the client as it takes, then waits for their confirmations.
async fn send(producer: &Producer, records: &[Record<'_>], settings: &Settings) -> Sent {
    let Some(handed_over) = producer.unless_lost(|client| hand_over(client, records, settings)) else {
        return Sent { confirmed: 0, stop: Some(Stop::Purged) };
    };
    let HandedOver { under_way, refused } = handed_over;
    if under_way.is_empty() && refused.is_none() {
        sleep(PAUSE).await;
        return Sent { confirmed: 0, stop: None };
    }
    let mut confirmed = 0;
    let confirmations = async {
        for delivery in under_way {
            match delivery.await {
                Ok(Ok(_)) => confirmed += 1,
                Ok(Err((error, _))) => {
                    return Some(verdict::of_delivery(&error, &records[confirmed], settings, producer.batches));
                }
                Err(_) => return Some(Stop::Purged),
            }
        }
        None
    };
    let stop = tokio::select! {
        stop = confirmations => stop,
        stop = interruption(producer, settings.timeout) => Some(stop),
    };
    if confirmed > 0 {
        producer.is_in_touch();
    }
    Sent { confirmed, stop: stop.or(refused) }
}

/// What the client took, and why it did not take the next one; `None` if it may later.
struct HandedOver {
    under_way: Vec<DeliveryFuture>,
    refused: Option<Stop>,
}

fn hand_over(client: &Client, records: &[Record<'_>], settings: &Settings) -> HandedOver {
    let mut under_way = Vec::with_capacity(records.len());
    for record in records {
        let handed = client.send_result(record.native());
        match handed.map_err(|(error, _)| error) {
            Ok(delivery) => under_way.push(delivery),
            Err(KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull)) => break,
            // The client itself looks at one record at a time, so the fault is its own.
            Err(error) => {
                let refused = Some(verdict::of_record(&error, record, settings));
                return HandedOver { under_way, refused };
            }
        }
    }
    HandedOver { under_way, refused: None }
}

/// Ends when there is no use in waiting any longer.
async fn interruption(producer: &Producer, patience: Duration) -> Stop {
    let stopped = async {
        producer.is(Health::Stopped).await;
        // It keeps what it would have sent again, so that nothing would ever be heard of it.
        loop {
            producer.purge();
            sleep(PURGE).await;
        }
    };
    tokio::select! {
        () = stopped => Stop::Purged,
        error = producer.is_cut_off() => Stop::Lost(error),
        () = sleep(patience) => Stop::Lost(producer.cluster.silence(patience)),
    }
}
