//! The everyday case: a web service (axum, sqlx, PostgreSQL) that signs customers up and welcomes each, whatever crashes.
//!
//! Adopting Posthaste in it took one dependency and twenty lines: see README.md beside this file.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use posthaste::domain::{DomainEvent, UnitOfWork};
use posthaste::sinks::handlers::Handlers;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::{Destination, Relay, sink, store::Store};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};
use tokio::net::TcpListener;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Customer {
    id: i64,
    email: String,
}

#[derive(Clone, Serialize, Deserialize, DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct CustomerCreated {
    #[event(aggregate_id)]
    id: i64,
    email: String,
}

async fn sign_up(
    State(pool): State<PgPool>,
    Json(customer): Json<Customer>,
) -> Result<(StatusCode, Json<CustomerCreated>), StatusCode> {
    let created = create(&pool, customer).await.map_err(|_| StatusCode::CONFLICT)?;
    Ok((StatusCode::CREATED, Json(created)))
}

async fn create(pool: &PgPool, customer: Customer) -> Result<CustomerCreated, Failure> {
    let mut unit = UnitOfWork::new(pool.begin().await?);
    insert(unit.connection(), &customer).await?;
    let created = CustomerCreated { id: customer.id, email: customer.email };
    unit.register(created.clone());
    unit.commit().await?;
    Ok(created)
}

async fn insert(db: &mut PgConnection, customer: &Customer) -> Result<(), sqlx::Error> {
    let insert = sqlx::query("INSERT INTO customers (id, email) VALUES ($1, $2)");
    insert.bind(customer.id).bind(&customer.email).execute(db).await.map(drop)
}

/// A mail for the mailer to send; the same one twice is one.
async fn welcome(pool: PgPool, event: CustomerCreated) -> Result<(), sink::Error> {
    let mail = sqlx::query("INSERT INTO mails VALUES ($1, $2, 'Welcome') ON CONFLICT DO NOTHING");
    mail.bind(event.id).bind(event.email).execute(&pool).await.map(drop).map_err(sink::Error::retry)
}

/// The service, until `until` is ready.
pub(crate) async fn serve(
    url: &str,
    listener: TcpListener,
    until: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Failure> {
    let pool = PgPool::connect(url).await?;
    let tables = "CREATE TABLE IF NOT EXISTS customers (id BIGINT PRIMARY KEY, email TEXT NOT NULL);
                  CREATE TABLE IF NOT EXISTS mails (customer BIGINT PRIMARY KEY, recipient TEXT, subject TEXT)";
    sqlx::raw_sql(tables).execute(&pool).await?;
    let store = Postgres::open(Options::new(url))?;
    store.migrate().await?;
    let mailer = pool.clone();
    let handlers = Handlers::builder().on_event("welcome", move |_, event| welcome(mailer.clone(), event)).build()?;
    let relay = Relay::builder(Arc::new(store)).destination(Destination::new("app"), Arc::new(handlers)).build();
    let router = Router::new().route("/customers", post(sign_up)).with_state(pool);
    relay.run(async { drop(axum::serve(listener, router).with_graceful_shutdown(until).await) }).await?;
    Ok(())
}

#[tokio::main]
#[cfg_attr(test, expect(dead_code, reason = "the tests serve"))]
async fn main() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    serve(&std::env::var("DATABASE_URL")?, listener, async { drop(tokio::signal::ctrl_c().await) }).await
}
