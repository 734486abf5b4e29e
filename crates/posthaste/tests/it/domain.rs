//! The domain kit on real databases.

mod customer;
mod drained;
mod fast_path;
mod inbox;
mod killed;
#[cfg(feature = "mongodb")]
mod on_mongodb;
#[cfg(feature = "mysql")]
mod on_mysql_async;
mod on_rusqlite;
#[cfg(all(feature = "mysql", feature = "sqlx-mysql"))]
mod on_sqlx_mysql;
#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
mod on_sqlx_postgres;
#[cfg(feature = "sqlx-sqlite")]
mod on_sqlx_sqlite;
#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
mod on_tokio_postgres;
#[cfg(any(
    feature = "mongodb",
    feature = "mysql",
    all(feature = "postgres", feature = "sqlx-postgres"),
    feature = "sqlx-sqlite"
))]
mod units;

use posthaste::inspect::{Filter, Inspect, Page};
use posthaste::journal::{Journal, Position};

/// An empty database; gone with the server.
#[cfg(all(feature = "postgres", feature = "sqlx-postgres"))]
pub(crate) async fn a_database_of_its_own() -> String {
    let server = format!("postgres://postgres@{}", crate::servers::address("postgres"));
    let name = format!("domain_{}", uuid::Uuid::now_v7().simple());
    let admin = sqlx::PgPool::connect(&format!("{server}/postgres")).await.expect("the server answers");
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::raw_sql(create).execute(&admin).await.expect("a database can be made");
    format!("{server}/{name}")
}

/// The event types in the journal, in order.
async fn written(store: &(impl Inspect + Journal)) -> Vec<String> {
    // Some stores list what has a position, and nobody else gives one here.
    store.advance().await.expect("the journal can be written");
    let page = Page::after(Position::START, 100);
    let listed = store.list(&Filter::default(), page).await.expect("the journal can be read");
    listed.rows.into_iter().map(|listed| listed.event_type).collect()
}
