//! Domain events of a customer, in one process on SQLite: the aggregate registers them, the repository writes them with the customer,
//! a handler welcomes whoever is new, another one keeps a read model and does so exactly once.
//!
//! `customers customers.db` runs until SIGTERM. Meanwhile, with `store.path = "customers.db"` in posthaste.toml:
//!
//! ```text
//! posthaste history customer/1                              # the events of this customer
//! posthaste replay --event-type customer.created.v1 --yes   # welcomes again; the read model stays as it is
//! posthaste purge --older-than 30d --yes
//! ```
//!
//! It shows how events are registered (and how one replaces another), how the repository writes them in its transaction, the relay and a
//! handler in the same process, the history of an aggregate, handlers that may run twice, replay and purge.

use std::sync::Arc;

use posthaste::domain::blocking::{Persist, Transactional};
use posthaste::domain::{Aggregate, DomainEvent, Events, UnitOfWork, decode};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::sqlite::{self, Options, Sqlite};
use posthaste::{Destination, Message, Relay, sink};
use rusqlite::{Connection, Transaction};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

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

    fn persist(&self, tx: &Transaction<'_>) -> Result<(), Failure> {
        let sql = "INSERT INTO customers (id, email, version) VALUES (?1, ?2, 1)
                   ON CONFLICT (id) DO UPDATE SET email = ?2, version = version + 1 WHERE version = ?3";
        let rows = tx.execute(sql, (self.id, &self.email, self.events.version()))?;
        Ok(self.events.check_version(rows as u64)?)
    }
}

/// Signs a customer up, who changes the address twice before anything is saved: only the newest of these events counts.
fn sign_up(db: &mut Connection) -> Result<usize, Failure> {
    let mut customer = Customer::create(1, "ann@example.org");
    customer.change_email("anne@example.org");
    customer.change_email("anna@example.org");
    let mut unit = UnitOfWork::begin(db)?.correlation_id("signup-1");
    unit.save(&customer)?;
    Ok(unit.commit()?.stored)
}

/// The event handler. It may be called more than once for an event, as a letter may be sent twice.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn welcome(ctx: Context, event: CustomerCreated) -> Result<(), sink::Error> {
    println!("welcome {} (correlation {})", event.email, ctx.correlation_id.unwrap_or_default());
    Ok(())
}

/// What happens in the database that holds the journal can happen once: this would fail for a customer who is there.
fn keep_read_model(tx: &Transaction<'_>, _: &Context, message: &Message) -> Result<(), sink::Error> {
    let event: CustomerCreated = decode(message)?;
    let insert = tx.execute("INSERT INTO addresses (customer, email) VALUES (?1, ?2)", (event.id, event.email));
    insert.map(drop).map_err(sink::Error::reject)
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Failure> {
    let file = std::env::args().nth(1).ok_or("give the file of the database")?;
    let mut terminated = signal(SignalKind::terminate())?;
    let store = Sqlite::open(&file, Options::default())?;
    store.migrate().await?;
    let mut db = sqlite::connect(&file, &Options::default())?;
    db.execute_batch(
        "CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, email TEXT, version INTEGER);
         CREATE TABLE IF NOT EXISTS addresses (customer INTEGER PRIMARY KEY, email TEXT)",
    )?;
    println!("{} events are written", sign_up(&mut db)?);

    let read_model = Transactional::new("read-model", sqlite::connect(&file, &Options::default())?, keep_read_model)?;
    let handlers = Handlers::builder().on_event("welcome", welcome).on("customer.created.v1", read_model).build()?;
    let relay = Relay::builder(Arc::new(store)).destination(Destination::new("app"), Arc::new(handlers)).build();
    let until = async {
        let _ = terminated.recv().await;
    };
    relay.run(until).await?;
    println!("stopped");
    Ok(())
}
