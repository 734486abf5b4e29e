//! A server as managed ones are: the user owns a database and nothing else, and the server does not tell its identity or its timeline.

use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::inspect::{Filter, Inspect, Page, Status};
use posthaste::journal::{Journal, Position, WorkerId};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::{Message, Result};
use tokio_postgres::{Client, NoTls};

use crate::servers::Private;

#[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A database of an ordinary user on a server that tells nothing.
async fn strict(server: &Private) -> Options {
    let administrator = connect(&format!("postgres://postgres@{}/postgres", server.address())).await;
    for sql in ["CREATE ROLE owner LOGIN", "CREATE DATABASE app OWNER owner"] {
        administrator.batch_execute(sql).await.unwrap();
    }
    let in_database = connect(&format!("postgres://postgres@{}/app", server.address())).await;
    for function in ["pg_control_system()", "pg_current_wal_lsn()", "pg_walfile_name(pg_lsn)"] {
        let revoke = format!("REVOKE EXECUTE ON FUNCTION pg_catalog.{function} FROM PUBLIC");
        in_database.batch_execute(&revoke).await.unwrap();
    }
    Options::new(format!("postgres://owner@{}/app", server.address()))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ordinary_user_of_a_server_that_tells_nothing_can_do_everything() -> Result<()> {
    let server = Private::start("postgres").await;
    let options = strict(&server).await;
    let store = Postgres::open(options.clone())?;
    store.migrate().await?;
    assert!(store.check().await?.iter().all(|problem| !problem.refuses));
    store.register(&[Destination::new("app")]).await?;
    let message = Message::builder("order.placed", "order", "1").payload("{}", "application/json").build().unwrap();
    store.write(&[message]).await?;
    store.advance().await?;
    let leases = store.lease(&WorkerId("w".into()), Duration::from_secs(60), 64).await?.leases;
    assert_eq!(store.open(&"app".into(), &leases).await?.len(), 64);
    let listed = store.list(&Filter::default(), Page::after(Position::START, 10)).await?.rows;
    assert_eq!(listed[0].status, Some(Status::Pending));
    store.overview().await?;
    store.accept().await?;
    // Another process, which finds what this one left.
    assert_eq!(Postgres::open(options)?.partitions().await?, 64);
    Ok(())
}

/// What was restored from a dump of a server with more transactions gives itself away.
#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_is_ahead_of_its_server_is_refused_even_there() -> Result<()> {
    let server = Private::start("postgres").await;
    let options = strict(&server).await;
    Postgres::open(options.clone())?.migrate().await?;
    let ahead = "INSERT INTO posthaste.outbox_ticks VALUES (9, '0', '900000000000', '{}', '{}', NULL, NULL, 0, 0, 0)";
    connect(&format!("postgres://postgres@{}/app", server.address())).await.batch_execute(ahead).await?;
    let error = Postgres::open(options)?.partitions().await.expect_err("it is refused");
    assert!(error.to_string().contains("ahead of its server"), "{error}");
    Ok(())
}
