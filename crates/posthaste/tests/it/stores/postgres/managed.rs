//! Servers as others run them: passwords that change, hosts that say nothing, connections that die without a word.

use std::time::{Duration, Instant};

use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::journal::Journal;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::testkit::waiting::eventually;
use posthaste::{Message, Result};
use tokio_postgres::{Client, NoTls};

use super::fresh;
use crate::servers::Private;

#[expect(clippy::disallowed_methods, reason = "this is how the client is used")]
pub(super) async fn connect(address: &str) -> Client {
    let (client, connection) =
        tokio_postgres::connect(&format!("postgres://postgres@{address}/postgres"), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

pub(super) fn store(address: &str) -> Postgres {
    Postgres::open(Options::new(format!("postgres://postgres@{address}/postgres"))).unwrap()
}

/// A server with a user `app` that needs a password, and its owner.
async fn with_passwords() -> (Private, Client) {
    let server = Private::start("postgres").await;
    let rules = "host all app all scram-sha-256\nhost all all all trust\n";
    std::fs::write(server.folder(0).join("pgdata/pg_hba.conf"), rules).unwrap();
    let owner = connect(&server.address()).await;
    owner.batch_execute("CREATE ROLE app LOGIN SUPERUSER PASSWORD 'first'").await.unwrap();
    owner.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    (server, owner)
}

async fn change_password(owner: &Client, password: &str) {
    owner.batch_execute(&format!("ALTER ROLE app PASSWORD '{password}'")).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'";
    owner.execute(end, &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_changes_is_read_anew_for_each_connection() -> Result<()> {
    let (server, owner) = with_passwords().await;
    let file = server.folder(0).join("password");
    std::fs::write(&file, "first\n").unwrap();
    let url = format!("postgres://app@{}/postgres", server.address());
    let mut by_file = Options::new(&url);
    by_file.password_file = Some(file.clone());
    let mut by_command = Options::new(&url);
    by_command.password_command = vec!["cat".into(), file.display().to_string()];
    let stores = [Postgres::open(by_file)?, Postgres::open(by_command)?];
    stores[0].migrate().await?;
    for password in ["first", "second", "third"] {
        change_password(&owner, password).await;
        std::fs::write(&file, password).unwrap();
        for store in &stores {
            let gets_in = eventually("the new password is used", async || Ok(store.partitions().await.is_ok()));
            gets_in.await?;
        }
    }
    change_password(&owner, "fourth").await;
    let error = eventually_err(&stores[1]).await.to_string();
    assert!(error.contains("password") && !error.contains("third"), "{error}");
    Ok(())
}

/// An error of a new connection; the old ones may take a moment to notice that they are closed.
async fn eventually_err(store: &Postgres) -> posthaste::Error {
    loop {
        match store.partitions().await {
            Err(error) if error.to_string().contains("password") => return error,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_says_nothing_is_passed_over() -> Result<()> {
    let t = fresh().await;
    let server = crate::servers::address("postgres");
    let silent = FaultProxy::to(server.parse().unwrap()).await.unwrap();
    silent.set(Fault::BlackHole).await;
    let mut options = t.options.clone();
    options.url = format!("postgres://postgres@{},{server}/postgres", silent.address()).into();
    let store = Postgres::open(options)?;
    assert_eq!(store.partitions().await?, 64);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread")]
async fn connections_to_a_machine_that_is_gone_are_given_up_all_at_once() -> Result<()> {
    let t = fresh().await;
    let proxy = FaultProxy::to(crate::servers::address("postgres").parse().unwrap()).await.unwrap();
    let mut options = t.options.clone();
    options.url = format!("postgres://postgres@{}/postgres", proxy.address()).into();
    assert_eq!(options.answer_timeout, Duration::from_secs(5), "so that delivery goes on within 15 s");
    let store = Postgres::open(options)?;
    // All four connections are open, and idle.
    let open = futures_util::future::join_all((0..4).map(|_| store.partitions())).await;
    assert!(open.iter().all(Result::is_ok), "{open:?}");
    proxy.set(Fault::Vanish).await;
    t.store.write(&[order("1")]).await?;
    let begun = Instant::now();
    let error = store.advance().await.expect_err("nobody answers");
    assert!(error.is_temporary() && error.to_string().contains("has not answered for 5s"), "{error}");
    let again = store.advance().await?;
    assert!(again.tick > 0, "the others are not waited for");
    println!("goes on {:?} after the machine was gone", begun.elapsed());
    Ok(())
}
