//! Databases of applications, each gone when its test is.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "mysql")]
use mysql_async::prelude::Queryable as _;

use posthaste::store::Store;
use posthaste::stores::sqlite::Sqlite;

use super::socket;
use crate::servers;

/// A database of an application that knows nothing of us.
pub(super) struct Database {
    pub(super) url: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Sqlite(PathBuf),
    #[cfg(feature = "postgres")]
    Postgres {
        server: String,
        schema: String,
    },
    #[cfg(feature = "mysql")]
    Mysql {
        server: String,
        name: String,
    },
}

fn fresh_name() -> String {
    format!("it_{}", uuid::Uuid::now_v7().simple())
}

impl Database {
    pub(super) fn sqlite() -> Self {
        let path = std::env::temp_dir().join(format!("{}.db", fresh_name()));
        let connection = rusqlite::Connection::open(&path).expect("a file can be made");
        connection.pragma_update(None, "journal_mode", "WAL").expect("a local disk");
        Self { url: format!("sqlite:{}", path.display()), kind: Kind::Sqlite(path) }
    }

    #[cfg(feature = "postgres")]
    pub(super) async fn postgres() -> Self {
        let (server, schema) = (servers::address("postgres"), fresh_name());
        let kind = Kind::Postgres { server: server.clone(), schema: schema.clone() };
        let database = Self { url: postgres_url(&server, &schema), kind };
        database.execute(&format!("CREATE SCHEMA {schema}")).await;
        database
    }

    #[cfg(feature = "mysql")]
    pub(super) async fn mysql(server: &str) -> Self {
        let (server, name) = (servers::address(server), fresh_name());
        let mut connection = mysql_async::Conn::from_url(format!("mysql://root@{server}")).await.expect("it is there");
        connection.query_drop(format!("CREATE DATABASE {name}")).await.expect("it can be made");
        Self { url: format!("mysql://root@{server}/{name}"), kind: Kind::Mysql { server, name } }
    }

    /// A journal in the same database.
    pub(super) async fn journal(&self) -> Arc<dyn Store> {
        let journal = self.journal_for(None);
        journal.migrate().await.expect("it can be made");
        journal
    }

    /// The same journal for another user.
    pub(super) fn journal_for(&self, user: Option<&str>) -> Arc<dyn Store> {
        let url = |owner: &str| self.url.replace(owner, &format!("{}@", user.unwrap_or(owner.trim_end_matches('@'))));
        match &self.kind {
            Kind::Sqlite(path) => Arc::new(Sqlite::open(path, Default::default()).expect("a file")),
            #[cfg(feature = "postgres")]
            Kind::Postgres { schema, .. } => {
                let mut options = posthaste::stores::postgres::Options::new(url("postgres@"));
                options.schema.clone_from(schema);
                Arc::new(posthaste::stores::postgres::Postgres::open(options).expect("a URL"))
            }
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => {
                let options = posthaste::stores::mysql::Options::new(url("root@"));
                Arc::new(posthaste::stores::mysql::MySql::open(options).expect("a URL"))
            }
        }
    }

    /// Refuses to move a checkpoint to `cursed`, whatever was done before in the transaction.
    pub(super) async fn curse(&self) {
        let event = "BEFORE UPDATE ON outbox_sources FOR EACH ROW";
        let refuse = match &self.kind {
            Kind::Sqlite(_) => {
                format!(
                    "CREATE TRIGGER cursed {event} WHEN NEW.checkpoint = 'cursed' BEGIN SELECT RAISE(ABORT, 'no'); END"
                )
            }
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$; \
                 CREATE TRIGGER cursed {event} WHEN (NEW.checkpoint = 'cursed') EXECUTE FUNCTION refuse()"
            ),
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => {
                let then = "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'";
                format!("CREATE TRIGGER cursed {event} BEGIN IF NEW.checkpoint = 'cursed' THEN {then}; END IF; END")
            }
        };
        self.execute(&refuse).await;
    }

    /// How a numbered primary key is written.
    pub(super) fn numbered(&self) -> &'static str {
        match self.kind {
            Kind::Sqlite(_) => "id integer PRIMARY KEY AUTOINCREMENT",
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => "id bigint AUTO_INCREMENT PRIMARY KEY",
        }
    }

    /// A time that may be absent.
    pub(super) fn time(&self) -> &'static str {
        match self.kind {
            Kind::Sqlite(_) => "text",
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => "timestamp with time zone",
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => "datetime(6)",
        }
    }

    pub(super) fn table(&self, name: &str) -> String {
        match &self.kind {
            #[cfg(feature = "postgres")]
            Kind::Postgres { schema, .. } => format!("{schema}.{name}"),
            _ => name.to_owned(),
        }
    }

    pub(super) fn server(&self) -> Option<SocketAddr> {
        match &self.kind {
            Kind::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Kind::Postgres { server, .. } => Some(socket(server)),
            #[cfg(feature = "mysql")]
            Kind::Mysql { server, .. } => Some(socket(server)),
        }
    }

    /// The same by another address, with a password, which these servers do not ask for.
    pub(super) fn url_at(&self, address: SocketAddr) -> String {
        match &self.kind {
            Kind::Sqlite(_) => self.url.clone(),
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => format!("postgres://postgres:s3cret-canary@{address}/postgres"),
            #[cfg(feature = "mysql")]
            Kind::Mysql { name, .. } => format!("mysql://root@{address}/{name}"),
        }
    }

    pub(super) fn secret(&self) -> Option<&'static str> {
        match &self.kind {
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => Some("s3cret-canary"),
            _ => None,
        }
    }

    pub(super) async fn execute(&self, sql: &str) {
        match &self.kind {
            Kind::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).expect("the file is there");
                connection.busy_timeout(std::time::Duration::from_secs(20)).expect("it can be set");
                connection.execute_batch(sql).expect(sql);
            }
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => self.client().await.batch_execute(sql).await.expect(sql),
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => self.connection().await.query_drop(sql).await.expect(sql),
        }
    }

    /// The first column of the first row, as a text; empty for nothing.
    pub(super) async fn text(&self, sql: &str) -> String {
        match &self.kind {
            Kind::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).expect("the file is there");
                let cell = connection.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0)).expect(sql);
                match cell {
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    rusqlite::types::Value::Text(text) => text,
                    _ => String::new(),
                }
            }
            #[cfg(feature = "postgres")]
            Kind::Postgres { .. } => {
                let rows = self.client().await.simple_query(sql).await.expect(sql);
                let row = rows.iter().find_map(|message| match message {
                    tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
                    _ => None,
                });
                row.unwrap_or_default().to_owned()
            }
            #[cfg(feature = "mysql")]
            Kind::Mysql { .. } => {
                let cell: Option<Option<String>> = self.connection().await.query_first(sql).await.expect(sql);
                cell.flatten().unwrap_or_default()
            }
        }
    }

    /// A connection that can hold a transaction open.
    #[cfg(feature = "postgres")]
    #[expect(clippy::disallowed_methods, reason = "the driver of a test's connection, which ends with it")]
    pub(super) async fn client(&self) -> tokio_postgres::Client {
        let (client, connection) =
            tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.expect("it is there");
        tokio::spawn(connection);
        client
    }

    #[cfg(feature = "mysql")]
    pub(super) async fn connection(&self) -> mysql_async::Conn {
        mysql_async::Conn::from_url(&self.url).await.expect("the server is there")
    }
}

#[cfg(feature = "postgres")]
fn postgres_url(server: &str, schema: &str) -> String {
    format!("postgres://postgres@{server}/postgres?options=-csearch_path%3D{schema}")
}

impl Drop for Database {
    fn drop(&mut self) {
        let (kind, url) = (self.kind.clone(), self.url.clone());
        // Without a runtime of its own a test that is ending cannot wait. What is left over is a nuisance, not a failure.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let sql = match &kind {
                Kind::Sqlite(path) => return drop(std::fs::remove_file(path)),
                #[cfg(feature = "postgres")]
                Kind::Postgres { schema, .. } => format!("DROP SCHEMA {schema} CASCADE"),
                #[cfg(feature = "mysql")]
                Kind::Mysql { name, .. } => format!("DROP DATABASE {name}"),
            };
            let last = std::mem::ManuallyDrop::new(Self { url, kind });
            runtime.block_on(async {
                let _ = tokio::time::timeout(std::time::Duration::from_secs(20), last.execute(&sql)).await;
            });
        });
        let _ = gone.join();
    }
}
