use std::sync::Arc;

use async_trait::async_trait;
use mongodb::{Client, ClientSession};
use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::inspect::Inspect;
use posthaste::journal::Enqueued;
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options};
use posthaste::{Message, Result};

use crate::servers;

mod backlog;
mod clients;
mod damaged;
mod failovers;
mod faults;
mod left_open;
mod ordering;
mod orders;
mod plain;
mod receiver;
mod scene;
mod stamps;
mod streams;
mod thought_dead;
mod tokens;

mod one_node {
    use super::Database;

    posthaste::store_suite!(fresh);

    pub(crate) async fn fresh() -> Database {
        Database::fresh("mongodb").await
    }
}

mod three_nodes {
    use super::Database;

    posthaste::store_suite!(fresh);

    async fn fresh() -> Database {
        Database::fresh("mongodb3").await
    }
}

/// A database that is gone when the test is.
pub(crate) struct Database {
    pub(crate) store: MongoDb,
    pub(crate) client: Client,
    pub(crate) url: String,
    pub(crate) name: String,
}

impl Database {
    pub(crate) async fn fresh(server: &str) -> Self {
        Self::with(&servers::address(server), Options::default()).await
    }

    /// In a server somewhere.
    pub(crate) async fn with(address: &str, options: Options) -> Self {
        let name = format!("posthaste_{}", uuid::Uuid::now_v7().simple());
        let url = format!("mongodb://{address}/{name}?replicaSet=rs0");
        let store = MongoDb::open(&url, options).await.expect("the server is there");
        store.migrate().await.expect("a new database migrates");
        let client = Client::with_uri_str(&url).await.expect("the server is there");
        Self { store, client, url, name }
    }

    pub(crate) fn database(&self) -> mongodb::Database {
        self.client.database(&self.name)
    }

    pub(crate) fn documents(&self, name: &str) -> mongodb::Collection<mongodb::bson::Document> {
        self.database().collection(name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let database = self.database();
        tokio::task::block_in_place(|| {
            // A leftover database is a nuisance, not a failure; and the server may be dead.
            let gone = tokio::time::timeout(std::time::Duration::from_secs(5), async { database.drop().await });
            let _ = tokio::runtime::Handle::current().block_on(gone);
        });
    }
}

#[async_trait]
impl StoreUnderTest for Database {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopen(&self) -> Result<Arc<dyn Store>> {
        let again = MongoDb::open(&self.url, Options::default()).await?;
        again.migrate().await?;
        Ok(Arc::new(again))
    }

    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
        let mut session = self.client.start_session().await?;
        session.start_transaction().await?;
        let enqueued = self.store.outbox().enqueue(&mut session, &messages).await?;
        Ok(Box::new(Open { session, enqueued }))
    }
}

struct Open {
    session: ClientSession,
    enqueued: Enqueued,
}

#[async_trait]
impl OpenTransaction for Open {
    async fn commit(mut self: Box<Self>) -> Result<Enqueued> {
        self.session.commit_transaction().await?;
        Ok(self.enqueued)
    }

    async fn roll_back(mut self: Box<Self>) -> Result<()> {
        Ok(self.session.abort_transaction().await?)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_has_the_figures_that_metrics_promise() -> Result<()> {
    let figures = Database::fresh("mongodb").await.store.overview().await?.figures;
    let names: Vec<_> = figures.iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["sequencer_delay_seconds", "oplog_window_seconds"]);
    assert!(figures.iter().all(|figure| figure.value >= 0.0), "{figures:?}");
    Ok(())
}
