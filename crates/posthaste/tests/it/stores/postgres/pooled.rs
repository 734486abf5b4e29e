//! PgBouncer in transaction mode: the store suite runs through it, and what it forgets is not missed.

use std::fs;
use std::process::Command;

use posthaste::destination::Destination;
use posthaste::inspect::Inspect;
use posthaste::journal::Journal;
use posthaste::store::Store;
use posthaste::stores::postgres::{Pooler, Postgres};
use posthaste::testkit::waiting::eventually;
use posthaste::{Message, Result};
use sqlx::Connection;
use tokio_postgres::SimpleQueryMessage;

use super::InSchema;
use crate::servers::{self, Private};

/// A journal whose relay and whose applications go through the pooler.
pub(super) async fn fresh() -> InSchema {
    let mut t = super::on("pgbouncer").await;
    t.outbox = t.outbox.clone().behind_pooler();
    t
}

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().unwrap()
}

/// The first column of the first row.
async fn ask(client: &tokio_postgres::Client, sql: &str) -> String {
    let answer = client.simple_query(sql).await.unwrap();
    let row = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
        _ => None,
    });
    row.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_is_found_by_itself_and_told_from_a_server() -> Result<()> {
    for (server, is_pooled) in [("pgbouncer", true), ("postgres", false)] {
        let t = super::on(server).await;
        let mut options = t.options.clone();
        options.listen = true;
        let problems = Postgres::open(options)?.check().await?;
        let says = problems.iter().any(|problem| problem.text.contains("a pooler passes no notifications on"));
        assert_eq!(says, is_pooled, "{server}: {problems:?}");
        assert!(problems.iter().all(|problem| !problem.refuses), "{problems:?}");
    }
    Ok(())
}

/// Other users of the pooler get the same connections next.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_behind_on_the_connections_of_a_pooler() -> Result<()> {
    let t = fresh().await;
    t.store.register(&[Destination::new("app")]).await?;
    t.store.write(&[order("1")]).await?;
    t.store.advance().await?;
    t.store.overview().await?;
    let applications = [t.application().await, t.application().await, t.application().await];
    for client in &applications {
        client.batch_execute("BEGIN").await?;
        assert_eq!(ask(client, "SHOW search_path").await, "\"$user\", public");
        assert_eq!(ask(client, "SHOW enable_seqscan").await, "on");
        assert_eq!(ask(client, "SELECT count(*) FROM pg_prepared_statements").await, "0");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_of_every_driver_get_through() -> Result<()> {
    let t = fresh().await;
    for id in ["1", "2", "3"] {
        let mut client = t.application().await;
        let transaction = client.transaction().await?;
        t.outbox().lock_keys(&transaction, &[order(id)]).await?;
        t.outbox().enqueue(&transaction, &[order(id)]).await?;
        transaction.commit().await?;
        let mut connection = sqlx::PgConnection::connect(&t.url).await.unwrap();
        let mut transaction = connection.begin().await.unwrap();
        t.outbox().lock_keys_sqlx(&mut transaction, &[order(id)]).await?;
        t.outbox().enqueue_sqlx(&mut transaction, &[order(id)]).await?;
        transaction.commit().await.unwrap();
    }
    t.store.advance().await?;
    assert_eq!(t.store.overview().await?.messages, 6);
    Ok(())
}

/// Whoever says that there is none is believed, and told what is wrong with that.
#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_is_denied_is_named_by_the_error() -> Result<()> {
    // One of its own: what is set and prepared stays on its connections.
    let pooler = Private::start_before("pgbouncer", &servers::address("postgres")).await;
    let t = super::fresh().await;
    let mut options = t.options.clone();
    options.url = t.url.replace(&servers::address("postgres"), &pooler.address()).into();
    options.pooler = Pooler::None;
    let stores = [Postgres::open(options.clone())?, Postgres::open(options)?];
    // Two at once, and each meets what the other one has prepared, or misses what it has prepared itself.
    let named = eventually("the pooler is named", async || {
        let asked =
            futures_util::future::join_all(stores.iter().cycle().take(16).map(|store| store.partitions())).await;
        Ok(asked
            .into_iter()
            .any(|answer| answer.is_err_and(|error| error.to_string().contains("pooler = \"transaction\""))))
    });
    named.await
}

/// A primary, a standby, and a pooler in front of the one that can be written to.
struct Fronted {
    primary: Private,
    standby: Private,
    pooler: Private,
}

impl Fronted {
    async fn start() -> Self {
        let primary = Private::start("postgres").await;
        let mut standby = Private::start("postgres").await;
        standby.follow(&primary.address()).await;
        let pooler = Private::start_before("pgbouncer", &primary.address()).await;
        Self { primary, standby, pooler }
    }

    /// The pooler's clients stay connected and hear nothing of it.
    async fn switch_over(&mut self) {
        self.primary.end("INT");
        let promoted = super::managed::connect(&self.standby.address()).await;
        promoted.batch_execute("SELECT pg_promote()").await.unwrap();
        let settings = self.pooler.folder(0).join("pgbouncer.ini");
        let port = |address: String| address.split(':').nth(1).unwrap().to_owned();
        let text = fs::read_to_string(&settings).unwrap();
        let text = text.replace(
            &format!("port={}\n[", port(self.primary.address())),
            &format!("port={}\n[", port(self.standby.address())),
        );
        fs::write(&settings, text).unwrap();
        let id = self.pooler.process(0).to_string();
        assert!(Command::new("kill").args(["-s", "HUP", &id]).status().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_behind_a_pooler_is_a_seam_like_any_other() -> Result<()> {
    let mut servers = Fronted::start().await;
    let store = super::managed::store(&servers.pooler.address());
    store.migrate().await?;
    store.write(&[order("1")]).await?;
    let before = store.advance().await?;
    servers.switch_over().await;
    let jumped = eventually("the seam is made", async || {
        Ok(store.advance().await.is_ok_and(|now| now.tick > before.tick + (1 << 31)))
    });
    jumped.await?;
    store.write(&[order("2")]).await?;
    store.advance().await?;
    let figures = store.overview().await?.figures;
    assert!(figures.iter().any(|figure| figure.name == "failovers" && figure.value == 1.0), "{figures:?}");
    Ok(())
}
