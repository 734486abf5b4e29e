//! The service before it had an outbox: if it dies after the commit, nobody is welcomed, and nobody knows.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgPool};
use tokio::net::TcpListener;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Customer {
    id: i64,
    email: String,
}

#[derive(Clone, Serialize, Deserialize)]
struct CustomerCreated {
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
    let mut transaction = pool.begin().await?;
    insert(&mut transaction, &customer).await?;
    let created = CustomerCreated { id: customer.id, email: customer.email };
    transaction.commit().await?;
    welcome(pool.clone(), created.clone()).await?;
    Ok(created)
}

async fn insert(db: &mut PgConnection, customer: &Customer) -> Result<(), sqlx::Error> {
    let insert = sqlx::query("INSERT INTO customers (id, email) VALUES ($1, $2)");
    insert.bind(customer.id).bind(&customer.email).execute(db).await.map(drop)
}

/// A mail for the mailer to send; the same one twice is one.
async fn welcome(pool: PgPool, event: CustomerCreated) -> Result<(), sqlx::Error> {
    let mail = sqlx::query("INSERT INTO mails VALUES ($1, $2, 'Welcome') ON CONFLICT DO NOTHING");
    mail.bind(event.id).bind(event.email).execute(&pool).await.map(drop)
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
    let router = Router::new().route("/customers", post(sign_up)).with_state(pool);
    axum::serve(listener, router).with_graceful_shutdown(until).await?;
    Ok(())
}

#[tokio::main]
#[cfg_attr(test, expect(dead_code, reason = "the tests serve"))]
async fn main() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    serve(&std::env::var("DATABASE_URL")?, listener, async { drop(tokio::signal::ctrl_c().await) }).await
}
