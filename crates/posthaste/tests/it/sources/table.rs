//! Tables of outboxes that exist already, on real servers.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::Impossible;
use posthaste::conformance::source_suite::SourceUnderTest;
use posthaste::source::Source;
use posthaste::sources::table::{Preset, Settings, Table};

use self::databases::Database;

mod behind_a_relay;
mod databases;
mod presets;
mod same_database;

mod on_sqlite {
    posthaste::source_suite!(super::on_sqlite);
}

#[cfg(feature = "postgres")]
mod on_postgres {
    posthaste::source_suite!(super::on_postgres);
}

#[cfg(feature = "mysql")]
mod on_mariadb {
    posthaste::source_suite!(super::on_mariadb);
}

#[cfg(feature = "mysql")]
mod on_mysql {
    posthaste::source_suite!(super::on_mysql);
}

/// A table with streams, for the suite.
struct Streams {
    database: Database,
    proxy: Option<FaultProxy>,
    source: Arc<Table>,
}

async fn on_sqlite() -> Streams {
    streams(Database::sqlite()).await
}

#[cfg(feature = "postgres")]
async fn on_postgres() -> Streams {
    streams(Database::postgres().await).await
}

#[cfg(feature = "mysql")]
async fn on_mariadb() -> Streams {
    streams(Database::mysql("mariadb").await).await
}

#[cfg(feature = "mysql")]
async fn on_mysql() -> Streams {
    streams(Database::mysql("mysql").await).await
}

async fn streams(database: Database) -> Streams {
    let id = database.numbered();
    database
        .execute(&format!(
            "CREATE TABLE outbox ({id}, stream varchar(100), event_type varchar(100), payload text, status varchar(20))"
        ))
        .await;
    let (url, proxy) = match database.server() {
        None => (database.url.clone(), None),
        Some(server) => {
            let proxy = FaultProxy::to(server).await.expect("a port is free");
            (database.url_at(proxy.address()), Some(proxy))
        }
    };
    let mut settings = Settings::new(url, Preset::Status).table(database.table("outbox"));
    settings.columns.stream = Some("stream".into());
    settings.poll_interval = std::time::Duration::from_millis(5);
    Streams { database, proxy, source: Arc::new(Table::new(settings).expect("the settings are right")) }
}

#[async_trait]
impl SourceUnderTest for Streams {
    fn source(&self) -> Arc<dyn Source> {
        self.source.clone()
    }

    async fn append(&self, stream: &str, text: &str) -> String {
        let values = format!("('{stream}', 'account.changed', '{{\"text\":\"{text}\"}}', 'PENDING')");
        self.database
            .execute(&format!("INSERT INTO outbox (stream, event_type, payload, status) VALUES {values}"))
            .await;
        self.database.text("SELECT max(id) FROM outbox").await
    }

    async fn append_foreign(&self) -> Result<(), Impossible> {
        let values = "('order-1', 'order.created', '{}', 'DRAFT')";
        self.database
            .execute(&format!("INSERT INTO outbox (stream, event_type, payload, status) VALUES {values}"))
            .await;
        Ok(())
    }

    fn has_checkpoints(&self) -> Result<(), Impossible> {
        Err(Impossible("the table keeps the state of its rows"))
    }

    fn secret(&self) -> Result<String, Impossible> {
        self.database.secret().map(str::to_owned).ok_or(Impossible("a file has none"))
    }

    async fn stop(&self) -> Result<(), Impossible> {
        let proxy = self.proxy.as_ref().ok_or(Impossible("a file does not go away"))?;
        proxy.set(Fault::Refuse).await;
        Ok(())
    }

    /// What was read before is in the journal by then, and marked.
    async fn start(&self) {
        self.database.execute("UPDATE outbox SET status = 'SENT'").await;
        if let Some(proxy) = &self.proxy {
            proxy.set(Fault::Pass).await;
        }
    }

    async fn stall(&self) -> Result<(), Impossible> {
        let proxy = self.proxy.as_ref().ok_or(Impossible("a file does not fall silent"))?;
        proxy.set(Fault::BlackHole).await;
        Ok(())
    }
}

fn socket(address: &str) -> SocketAddr {
    address.parse().expect("an address and a port")
}
