//! Events of an application on MongoDB, handled in its own process. The change stream wakes the relay as soon as they are committed;
//! polling finds what the stream missed.
//!
//! `MONGODB_URL=mongodb://localhost/app?replicaSet=rs0 prompts prompt-1` creates a prompt and runs until SIGTERM or SIGINT.
//!
//! It shows handlers by event type, several for one type; retries, the resume token of the change stream, start and stop; the documents
//! with `status`, `retryCount` and `lastError`; polling as the fallback; the lifecycle of the application; correlation ids.

use std::sync::Arc;
use std::time::Duration;

use mongodb::bson::{Document, doc};
use posthaste::domain::{Aggregate, DomainEvent, Events, Persist, UnitOfWork};
use posthaste::relay::Settings;
use posthaste::retry::Backoff;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options, Transaction};
use posthaste::{Destination, Relay, sink};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Serialize, Deserialize, DomainEvent)]
#[event(type = "PromptCreatedEvent", aggregate = "prompt")]
struct PromptCreated {
    #[event(aggregate_id)]
    id: String,
    text: String,
}

struct Prompt {
    id: String,
    text: String,
    events: Events,
}

impl Prompt {
    fn create(id: &str, text: &str) -> Self {
        let mut events = Events::default();
        events.register(PromptCreated { id: id.into(), text: text.into() });
        Self { id: id.into(), text: text.into(), events }
    }
}

impl Aggregate for Prompt {
    fn events(&self) -> &Events {
        &self.events
    }
}

/// The repository: the application's own statement, in the session of the unit of work.
impl Persist<Transaction> for Prompt {
    type Error = mongodb::error::Error;

    async fn persist(&self, tx: &mut Transaction) -> Result<(), Self::Error> {
        let prompts = tx.database().collection::<Document>("prompts");
        prompts.insert_one(doc! { "_id": &self.id, "text": &self.text }).session(tx.session()).await.map(drop)
    }
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn notify(ctx: Context, event: PromptCreated) -> Result<(), sink::Error> {
    println!("processing PromptCreatedEvent of {} (correlation {})", event.id, ctx.correlation_id.unwrap_or_default());
    Ok(())
}

/// A search engine that is not there at first. Only this handler is called again, not the one that has succeeded.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn index(ctx: Context, event: PromptCreated) -> Result<(), sink::Error> {
    if ctx.attempt == 1 {
        return Err(sink::Error::retry("the search engine is busy"));
    }
    println!("indexed {:?} at attempt {}", event.text, ctx.attempt);
    Ok(())
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Failure> {
    let (mut terminated, mut interrupted) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let store = MongoDb::open(&std::env::var("MONGODB_URL")?, Options::default()).await?;
    store.migrate().await?;

    let handlers = Handlers::builder().on_event("notify", notify).on_event("index", index).build()?;
    let mut destination = Destination::new("app").max_in_flight(10);
    destination.policy.max_attempts = 3;
    destination.policy.backoff = Backoff::List(vec![Duration::from_millis(100)]);
    let settings = Settings { poll_interval: Duration::from_secs(1), ..Settings::default() };
    let relay =
        Relay::builder(Arc::new(store.clone())).settings(settings).destination(destination, Arc::new(handlers)).build();

    let id = std::env::args().nth(1).unwrap_or_else(|| "prompt-1".into());
    let prompt = Prompt::create(&id, "Once upon a time");
    let mut unit = UnitOfWork::new(store.begin().await?).correlation_id(format!("request of {id}"));
    unit.save(&prompt).await?;
    println!("{} event is written", unit.commit().await?.stored);

    let until = async {
        tokio::select! { _ = terminated.recv() => {}, _ = interrupted.recv() => {} }
    };
    relay.run(until).await?;
    println!("stopped");
    Ok(())
}
