//! The store suite on real servers of the family, and what only this store has to promise.

use std::sync::Arc;

use async_trait::async_trait;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, Pool, PoolConstraints, PoolOpts};
use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::journal::Enqueued;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options, Outbox};
use posthaste::{Message, Result};

use crate::servers;

#[cfg(feature = "sqlx-mysql")]
mod by_sqlx;
mod idle;
mod late_commits;
mod on_tidb;
mod plain_sql;
mod secured;
mod surroundings;
mod work;

mod on_mariadb {
    posthaste::store_suite!(super::fresh);
}

mod on_mysql {
    posthaste::store_suite!(super::fresh_on_mysql);
}

/// A database of its own, gone when the test is.
pub(crate) struct InDatabase {
    pub(crate) store: MySql,
    pub(crate) options: Options,
    pub(crate) url: String,
    pub(crate) name: String,
    server: String,
    applications: Pool,
    largest_payload: u32,
}

pub(crate) async fn fresh() -> InDatabase {
    on("mariadb").await
}

async fn fresh_on_mysql() -> InDatabase {
    on("mysql").await
}

/// A journal on one of the servers that all tests share.
pub(crate) async fn on(server: &str) -> InDatabase {
    at(&servers::address(server)).await
}

/// A journal on the server at this address.
pub(crate) async fn at(address: &str) -> InDatabase {
    let name = format!("it {}", uuid::Uuid::now_v7().simple());
    let server = format!("mysql://root@{address}");
    let mut connection = Conn::from_url(&server).await.expect("the server is there");
    connection.query_drop(format!("CREATE DATABASE `{name}`")).await.expect("a new database can be made");
    connection.disconnect().await.expect("the server is there");
    let url = format!("{server}/{}", name.replace(' ', "%20"));
    let options = Options::new(&url);
    let store = MySql::open(options.clone()).expect("the address is a good one");
    store.migrate().await.expect("a new database migrates");
    InDatabase { store, options, applications: applications(&url), url, server, name, largest_payload: 16 << 20 }
}

/// Connections of applications, which know nothing of ours.
fn applications(url: &str) -> Pool {
    let opts = Opts::from_url(url).expect("the address is a good one");
    let constraints = PoolConstraints::new(0, 16).expect("from zero to sixteen");
    Pool::new(OptsBuilder::from_opts(opts).pool_opts(PoolOpts::default().with_constraints(constraints)))
}

impl InDatabase {
    pub(crate) async fn application(&self) -> Conn {
        self.applications.get_conn().await.expect("the server is there")
    }
}

impl Drop for InDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // Without a runtime of its own a test that is ending cannot wait.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let mut connection = Conn::from_url(&server).await?;
                connection.query_drop("SET SESSION lock_wait_timeout = 20").await?;
                connection.query_drop(format!("DROP DATABASE `{name}`")).await?;
                connection.disconnect().await
            })
        });
        // A leftover database is a nuisance, not a failure.
        let _ = gone.join();
    }
}

#[async_trait]
impl StoreUnderTest for InDatabase {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopen(&self) -> Result<Arc<dyn Store>> {
        let again = MySql::open(self.options.clone())?;
        again.migrate().await?;
        Ok(Arc::new(again))
    }

    fn largest_payload(&self) -> u32 {
        self.largest_payload
    }

    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
        let mut connection = self.application().await;
        connection.query_drop("BEGIN").await?;
        let enqueued = Outbox::new().enqueue(&mut connection, &messages).await?;
        Ok(Box::new(Open { connection: Some(connection), enqueued }))
    }
}

/// An application's transaction; whoever goes away without a word takes its connection along.
struct Open {
    connection: Option<Conn>,
    enqueued: Enqueued,
}

impl Open {
    async fn end(&mut self, how: &str) -> Result<()> {
        let mut connection = self.connection.take().expect("a transaction ends once");
        Ok(connection.query_drop(how).await?)
    }
}

impl Drop for Open {
    #[expect(clippy::disallowed_methods, reason = "an application that goes away does not wait")]
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            tokio::spawn(connection.disconnect());
        }
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
