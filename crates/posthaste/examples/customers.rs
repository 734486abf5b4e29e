//! Domain events of a customer: the aggregate registers them, the unit of work writes them with the customer, a handler in the
//! same process greets whoever is new. Then the history of the aggregate, a replay, and the purge.
//!
//! Covers "ADR-0006: Outbox Pattern for Domain Events": event registration (with `replace: true`), outbox persistence and execution
//! flow, the event handler, the event history for an aggregate, manual replay, purging.

use std::sync::Arc;
use std::time::Duration;

use posthaste::domain::blocking::{Persist, UnitOfWork};
use posthaste::domain::{Aggregate, Conflict, DomainEvent, Events};
use posthaste::inspect::{Filter, Inspect, Mode, Operation, Page};
use posthaste::journal::{Journal, Position};
use posthaste::sink;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::stores::sqlite::{self, Options, Sqlite};
use posthaste::{Destination, Relay};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct CustomerCreated {
    #[event(aggregate_id)]
    id: i64,
    email: String,
}

#[derive(Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.updated.v1", aggregate = "customer")]
struct CustomerUpdated {
    #[event(aggregate_id)]
    id: i64,
    email: String,
}

struct Customer {
    id: i64,
    email: String,
    events: Events,
}

impl Aggregate for Customer {
    fn events(&self) -> &Events {
        &self.events
    }
}

impl Customer {
    fn create(id: i64, email: &str) -> Self {
        let mut events = Events::default();
        events.register(CustomerCreated { id, email: email.into() });
        Self { id, email: email.into(), events }
    }

    fn change_email(&mut self, email: &str) {
        self.email = email.into();
        self.events.register_replacing(CustomerUpdated { id: self.id, email: email.into() });
    }
}

/// The repository: the application's own statement.
impl Persist for Customer {
    type Error = Failure;

    fn persist(&self, tx: &rusqlite::Transaction<'_>) -> Result<(), Failure> {
        let sql = "INSERT INTO customers (id, email, version) VALUES (?1, ?2, 1)
                   ON CONFLICT (id) DO UPDATE SET email = ?2, version = version + 1 WHERE version = ?3";
        let rows = tx.execute(sql, (self.id, &self.email, self.events.version()))?;
        self.events.check_version(rows as u64).map_err(|conflict: Conflict| conflict.into())
    }
}

/// The event handler. It may be called more than once for an event.
async fn welcome(told: mpsc::Sender<String>, ctx: Context, event: CustomerCreated) -> Result<(), sink::Error> {
    let line = format!("welcome {} (correlation {})", event.email, ctx.correlation_id.unwrap_or_default());
    told.send(line).await.map_err(sink::Error::retry)
}

/// Everything that happens, line by line.
pub(crate) async fn story(folder: &std::path::Path) -> Result<Vec<String>, Failure> {
    let file = folder.join("customers.db");
    let store = Sqlite::open(&file, Options::default())?;
    store.migrate().await?;
    let mut db = sqlite::connect(&file, &Options::default())?;
    db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, version INTEGER)", [])?;

    let (told, mut heard) = mpsc::channel(16);
    let handlers = Handlers::builder()
        .on_event("welcome", move |ctx, event: CustomerCreated| welcome(told.clone(), ctx, event))
        .build()?;
    let relay =
        Relay::builder(Arc::new(store.clone())).destination(Destination::new("app"), Arc::new(handlers)).build();
    let waker = relay.waker();

    let mut lines = Vec::new();
    let application = async {
        let mut customer = Customer::create(1, "ann@example.org");
        customer.change_email("anne@example.org");
        customer.change_email("anna@example.org");
        let mut unit = UnitOfWork::begin(&mut db)?.correlation_id("signup-1").waking(&waker);
        unit.save(&customer)?;
        lines.push(format!("{} events are written", unit.commit()?.stored));
        lines.extend(heard.recv().await);

        let history = Filter { aggregate_id: Some("1".into()), ..Filter::default() };
        for event in store.list(&history, Page { after: Position::START, limit: 10 }).await? {
            lines.push(format!("history: {} of {} {}", event.event_type, event.aggregate_type, event.aggregate_id));
        }
        let created = Filter { event_type: Some("customer.created.v1".into()), ..Filter::default() };
        // Delivered is what the relay has taken note of, some milliseconds after the handler.
        while store.operate(Operation::Replay, &created, Mode::Apply).await?.affected == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        lines.push("replay".into());
        lines.extend(heard.recv().await);
        Ok::<(), Failure>(())
    };
    // The relay runs in this process for as long as the application does; others may share its work.
    let (end, ended) = tokio::sync::oneshot::channel();
    let until = async { drop(ended.await) };
    let application = async { (application.await, end.send(())).0 };
    let (done, ran) = tokio::join!(application, relay.run(until));
    done?;
    ran?;
    lines.push(format!("{} events are purged", store.purge(Duration::ZERO, 100).await?.messages));
    Ok(lines)
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
#[cfg_attr(test, expect(dead_code, reason = "the tests call the story"))]
async fn main() -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("customers-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    story(&folder).await?.iter().for_each(|line| println!("{line}"));
    Ok(std::fs::remove_dir_all(folder)?)
}
