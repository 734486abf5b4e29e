//! The store suite on real servers, old and new, and what only PostgreSQL has to promise.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Object;
use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::journal::Enqueued;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Outbox, Postgres};
use posthaste::{Message, Result};
use tokio_postgres::NoTls;

use crate::servers;

mod backlog;
mod by_sqlx;
mod counting;
mod idle;
mod long_pages;
mod managed;
mod plain_sql;
mod plans;
mod pooled;
mod secured;
mod segments;
mod strict;
mod surroundings;
mod weighing;

mod on_debians {
    posthaste::store_suite!(super::fresh);
}

mod on_the_oldest {
    posthaste::store_suite!(super::fresh_on_the_oldest);
}

mod on_14 {
    posthaste::store_suite!(super::fresh_on_14);
}

mod on_16 {
    posthaste::store_suite!(super::fresh_on_16);
}

mod on_17 {
    posthaste::store_suite!(super::fresh_on_17);
}

mod on_the_newest {
    posthaste::store_suite!(super::fresh_on_the_newest);
}

mod through_pgbouncer {
    posthaste::store_suite!(super::pooled::fresh);
}

/// A schema of its own, gone when the test is.
pub(crate) struct InSchema {
    pub(crate) store: Postgres,
    pub(crate) options: Options,
    pub(crate) url: String,
    outbox: Outbox,
    applications: deadpool_postgres::Pool,
}

pub(crate) async fn fresh() -> InSchema {
    on("postgres").await
}

async fn fresh_on_the_oldest() -> InSchema {
    on("postgres13").await
}

async fn fresh_on_14() -> InSchema {
    on("postgres14").await
}

async fn fresh_on_16() -> InSchema {
    on("postgres16").await
}

async fn fresh_on_17() -> InSchema {
    on("postgres17").await
}

async fn fresh_on_the_newest() -> InSchema {
    on("postgres18").await
}

/// A journal on one of the servers.
pub(crate) async fn on(server: &str) -> InSchema {
    let address = servers::address(server);
    let schema = format!("it {}", uuid::Uuid::now_v7().simple());
    let url = format!("postgres://postgres@{address}/postgres");
    let mut options = Options::new(&url);
    options.schema = schema;
    let store = Postgres::open(options.clone()).expect("the address is a good one");
    store.migrate().await.expect("a new schema migrates");
    InSchema { store, applications: applications(&url), outbox: Outbox::in_schema(&options.schema), options, url }
}

/// Connections of applications, which know nothing of ours.
fn applications(url: &str) -> deadpool_postgres::Pool {
    let config = url.parse().expect("the address is a good one");
    let manager = deadpool_postgres::Manager::new(config, NoTls);
    deadpool_postgres::Pool::builder(manager).max_size(16).build().expect("a pool needs nothing")
}

impl InSchema {
    pub(crate) async fn application(&self) -> Object {
        self.applications.get().await.expect("the server is there")
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// A name of the journal, for plain SQL.
    pub(crate) fn name(&self, table: &str) -> String {
        format!("\"{}\".{table}", self.options.schema)
    }
}

impl Drop for InSchema {
    fn drop(&mut self) {
        let (url, schema) = (self.url.clone(), self.options.schema.clone());
        // Without a runtime of its own a test that is ending cannot wait.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
                let drop = format!("SET lock_timeout = '20s'; DROP SCHEMA \"{schema}\" CASCADE");
                tokio::select! {
                    _ = connection => Ok(()),
                    dropped = client.batch_execute(&drop) => dropped,
                }
            })
        });
        // A leftover schema is a nuisance, not a failure.
        let _ = gone.join();
    }
}

#[async_trait]
impl StoreUnderTest for InSchema {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopen(&self) -> Result<Arc<dyn Store>> {
        let again = Postgres::open(self.options.clone())?;
        again.migrate().await?;
        Ok(Arc::new(again))
    }

    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
        let client = self.application().await;
        client.batch_execute("BEGIN").await?;
        let enqueued = self.outbox().enqueue(&client, &messages).await?;
        Ok(Box::new(Open { client: Some(client), enqueued }))
    }
}

/// An application's transaction; whoever goes away without a word takes its connection along.
struct Open {
    client: Option<Object>,
    enqueued: Enqueued,
}

impl Open {
    async fn end(&mut self, how: &str) -> Result<()> {
        let client = self.client.take().expect("a transaction ends once");
        Ok(client.batch_execute(how).await?)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        drop(self.client.take().map(Object::take));
    }
}

#[async_trait]
impl OpenTransaction for Open {
    async fn commit(mut self: Box<Self>) -> Result<Enqueued> {
        self.end("COMMIT").await?;
        Ok(self.enqueued)
    }

    async fn roll_back(mut self: Box<Self>) -> Result<()> {
        self.end("ROLLBACK").await
    }
}
