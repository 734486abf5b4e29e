//! The everyday case: a web service (axum, sqlx, PostgreSQL) that signs customers up, and a mail for each, exactly once.
//!
//! `DATABASE_URL=postgres://… cargo run -p posthaste --example shop --features sqlx-postgres`, then
//! `curl -X POST localhost:3000/customers -H 'content-type: application/json' -d '{"id": 1, "email": "ann@example.org"}'`.
//!
//! Lines marked `// +` are what adopting Posthaste added to a service that stored customers before, beside the event itself.

use std::future::Future;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use posthaste::domain::{Aggregate, DomainEvent, Effect, Events, Persist, Transactional, UnitOfWork, decode};
use posthaste::relay::Waker;
use posthaste::sink;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::{Destination, Message, Relay};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};
use tokio::net::TcpListener;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct CustomerCreated {
    #[event(aggregate_id)]
    id: i64,
    email: String,
}

#[derive(Deserialize)]
struct Customer {
    id: i64,
    email: String,
    #[serde(skip)] // +
    events: Events, // +
}

#[rustfmt::skip]
impl Aggregate for Customer { // +
    fn events(&self) -> &Events { &self.events } // +
} // +

#[rustfmt::skip]
impl Persist<PgConnection> for Customer { // +
    type Error = sqlx::Error; // +

    async fn persist(&self, db: &mut PgConnection) -> Result<(), sqlx::Error> {
        let insert = sqlx::query("INSERT INTO customers (id, email) VALUES ($1, $2)");
        insert.bind(self.id).bind(&self.email).execute(db).await.map(drop)
    }
} // +

#[derive(Clone)]
struct Shop {
    pool: PgPool,
    relay: Waker, // +
}

async fn sign_up(State(shop): State<Shop>, Json(mut customer): Json<Customer>) -> Result<StatusCode, StatusCode> {
    customer.events.register(CustomerCreated { id: customer.id, email: customer.email.clone() }); // +
    let stored = async {
        let mut unit = UnitOfWork::new(shop.pool.begin().await?).waking(&shop.relay); // +
        unit.save(&customer).await?; // +
        Ok::<_, Failure>(unit.commit().await?) // +
    };
    stored.await.map(|_| StatusCode::CREATED).map_err(|_| StatusCode::CONFLICT)
}

/// What happens after a sign-up. It writes to the database alone, so it happens once.
struct Welcome;

impl Effect<PgConnection> for Welcome {
    fn name(&self) -> &str {
        "welcome"
    }

    async fn apply(&self, db: &mut PgConnection, _: &Context, message: &Message) -> Result<(), sink::Error> {
        let customer: CustomerCreated = decode(message)?;
        let mail = sqlx::query("INSERT INTO mails (recipient, subject) VALUES ($1, 'Welcome')");
        mail.bind(customer.email).execute(db).await.map(drop).map_err(sink::Error::retry)
    }
}

/// The service and its relay, until `until` is ready. Any number of these may share a database.
pub(crate) async fn serve(
    url: &str,
    listener: TcpListener,
    until: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Failure> {
    let pool = PgPool::connect(url).await?;
    let store = Postgres::open(Options { url: url.into(), ..Options::default() })?; // +
    store.migrate().await?; // +
    let tables = "CREATE TABLE IF NOT EXISTS customers (id BIGINT PRIMARY KEY, email TEXT NOT NULL);
                  CREATE TABLE IF NOT EXISTS mails (recipient TEXT NOT NULL, subject TEXT NOT NULL)";
    sqlx::raw_sql(tables).execute(&pool).await?;

    let welcome = Transactional::new(pool.clone(), Welcome);
    welcome.prepare().await?;
    let handlers = Handlers::builder().on("customer.created.v1", welcome).build()?; // +
    let relay = Relay::builder(Arc::new(store)); // +
    let relay = relay.destination(Destination::new("app"), Arc::new(handlers)).build(); // +

    let shop = Shop { pool, relay: relay.waker() };
    let router = Router::new().route("/customers", post(sign_up)).with_state(shop);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = async {
        let served = axum::serve(listener, router).with_graceful_shutdown(until).await;
        drop(stop);
        served
    };
    let (served, ran) = tokio::join!(serving, relay.run(async { drop(stopped.await) }));
    Ok((served?, ran?).0)
}

#[tokio::main]
#[cfg_attr(test, expect(dead_code, reason = "the tests serve"))]
async fn main() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    serve(&std::env::var("DATABASE_URL")?, listener, async { drop(tokio::signal::ctrl_c().await) }).await
}
