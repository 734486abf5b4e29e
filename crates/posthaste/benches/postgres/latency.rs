//! From the application's commit to the delivery, at a thousand messages per second: from when the commit was acknowledged, which
//! is when others can see the message; and from when it was sent, which adds what the disk takes.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::relay::Settings;
use posthaste::stores::postgres::Outbox;
use posthaste::{Destination, Relay};
use tokio::task::JoinSet;

use crate::claim::{self, Claims};
use crate::database::{Database, message};
use crate::times::{BEAT, EACH, Times, WRITERS};

/// What an application does with one message.
#[derive(Debug, Clone, Copy)]
enum Into {
    Outbox,
    Claims,
}

async fn write(database: &Database, times: &Times, into: Into, numbers: Range<usize>) {
    let mut client = database.connect().await;
    let mut beat = tokio::time::interval(BEAT);
    for n in numbers {
        beat.tick().await;
        let message = message(n);
        let transaction = client.transaction().await.expect("a transaction");
        match into {
            Into::Outbox => {
                Outbox::new().enqueue(&transaction, std::slice::from_ref(&message)).await.expect("it is stored");
            }
            Into::Claims => claim::insert(&transaction, &message).await,
        }
        let sent = Instant::now();
        transaction.commit().await.expect("a commit");
        times.committed.lock().expect("no panic").insert(message.id.0, (sent, Instant::now()));
    }
}

fn start(database: &Arc<Database>, times: &Arc<Times>, into: Into) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (database, times) = (Arc::clone(database), Arc::clone(times));
        writers.spawn(async move { write(&database, &times, into, writer * EACH..(writer + 1) * EACH).await });
    }
    writers
}

/// With default settings.
pub(crate) async fn of_the_relay() -> serde_json::Value {
    let database = Arc::new(Database::filled("latency", 0).await);
    let times = Arc::new(Times::default());
    let relay = Relay::builder(Arc::new(database.store()))
        .settings(Settings::default())
        .destination(Destination::new("times"), times.clone())
        .build();
    write(&database, &Times::default(), Into::Outbox, 0..1).await;
    let writing = async {
        times.until_warm().await;
        start(&database, &times, Into::Outbox).join_all().await;
        times.until_complete().await;
    };
    relay.run(writing).await.expect("a clean end");
    times.percentiles()
}

/// Which looks again at once after it found something, and five milliseconds later if not.
pub(crate) async fn of_claims() -> serde_json::Value {
    let database = Arc::new(Database::filled("latency-claim", 0).await);
    let times = Arc::new(Times::default());
    let claims = Claims::open(&database).await;
    let writers = start(&database, &times, Into::Claims);
    while !times.are_complete() {
        if claims.batch(|id| times.delivered(std::iter::once(id))).await == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    writers.join_all().await;
    times.percentiles()
}
