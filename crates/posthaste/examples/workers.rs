//! Events from MongoDB to RabbitMQ by several workers, any of which may die.
//!
//! `workers write 500` is the API: it stores orders with their events. `workers work`, as often as one likes, publishes them. Both need
//! `MONGODB_URL` and `AMQP_URL`. Kill a worker with `kill -9`: the others take its part over when its lease has ended.
//!
//! It shows what an outbox with a status column and several workers usually does, and how that is done here: a worker leases a part of
//! the journal instead of claiming each document; a message is published with a confirm before anything is recorded; each worker has an
//! id, and takes over from one that died; batches of 500, limits and failures; events written in the transaction of the business
//! operation; an id by which consumers drop repeats.

use std::sync::Arc;
use std::time::Duration;

use mongodb::bson::{Document, doc};
use posthaste::relay::Settings;
use posthaste::sinks::rabbitmq::{self, Binding, Declare, Exchange, Queue, Rabbitmq};
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options, StatusNames};
use posthaste::{Destination, Message, Relay};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Customers, whose orders are told in order; different customers do not wait for each other.
const CUSTOMERS: usize = 20;

/// The API: an order and its event, both or neither.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn write(store: &MongoDb, count: usize) -> Result<(), Failure> {
    for number in 0..count {
        let customer = number % CUSTOMERS;
        let event =
            Message::builder("order.placed", "customer", customer.to_string()).json(&json!({ "order": number }));
        let mut tx = store.begin().await?;
        let orders = tx.database().collection::<Document>("orders");
        let order = doc! { "_id": number as i64, "customer": customer as i64 };
        orders.insert_one(order).session(tx.session()).await?;
        tx.enqueue(&[event.build()?]).await?;
        tx.commit().await?;
    }
    println!("{count} orders are placed");
    Ok(())
}

/// A worker: publishes, until SIGTERM.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn work(store: MongoDb) -> Result<(), Failure> {
    let mut terminated = signal(SignalKind::terminate())?;
    let exchange = std::env::var("EXCHANGE").unwrap_or_else(|_| "events".into());
    let mut bus = rabbitmq::Settings::at(std::env::var("AMQP_URL")?);
    bus.exchange = exchange.parse()?;
    bus.declare = Declare {
        exchanges: vec![Exchange { name: exchange.clone(), kind: "topic".into(), durable: true }],
        queues: vec![Queue {
            name: format!("{exchange}.orders"),
            kind: None,
            durable: true,
            bindings: vec![Binding { exchange, routing_key: "order.*".into() }],
        }],
    };
    let settings = Settings {
        read_batch: 500,
        poll_interval: Duration::from_secs(1),
        // So long after a worker died, others take over.
        lease_ttl: Duration::from_secs(std::env::var("LEASE_SECONDS").map_or(Ok(60), |text| text.parse())?),
        ..Settings::default()
    };
    println!("worker {}", settings.worker);
    let relay = Relay::builder(Arc::new(store))
        .settings(settings)
        .destination(Destination::new("bus"), Arc::new(Rabbitmq::new(bus)?))
        .build();
    let until = async {
        let _ = terminated.recv().await;
    };
    relay.run(until).await?;
    println!("stopped");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut options = Options::default();
    options.collection = "events".into();
    options.status = StatusNames::new("NEW", "PUBLISHED", "FAILED");
    let store = MongoDb::open(&std::env::var("MONGODB_URL")?, options).await?;
    store.migrate().await?;
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", count] => write(&store, count.parse()?).await,
        ["work"] => work(store).await,
        _ => Err("say `write COUNT` or `work`".into()),
    }
}
