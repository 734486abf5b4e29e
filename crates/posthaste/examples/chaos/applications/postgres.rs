use std::pin::pin;

use futures_util::TryStreamExt;
use posthaste::stores::postgres::Outbox;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, NoTls};

use super::{Application, Make, Show};
use crate::Failure;

pub(super) struct OnPostgres {
    client: Client,
    connection: JoinHandle<()>,
}

impl OnPostgres {
    pub(super) async fn open(url: &str) -> Result<Self, Failure> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        // Whoever uses the client hears of its end.
        let connection = tokio::spawn(async move { drop(connection.await) });
        Ok(Self { client, connection })
    }
}

impl Drop for OnPostgres {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

#[async_trait::async_trait]
impl Application for OnPostgres {
    async fn prepare(&mut self) -> Result<(), Failure> {
        let create = "CREATE TABLE IF NOT EXISTS chaos_keys (key text PRIMARY KEY, number bigint NOT NULL);
                      CREATE TABLE IF NOT EXISTS chaos_handled (nth bigserial PRIMARY KEY, id text, key text, number bigint)";
        Ok(self.client.batch_execute(create).await?)
    }

    async fn write(&mut self, keys: &[String], make: Make<'_>) -> Result<(), Failure> {
        let tx = self.client.transaction().await?;
        let count = "INSERT INTO chaos_keys SELECT key, 1 FROM unnest($1::text[]) AS key ORDER BY key \
                     ON CONFLICT (key) DO UPDATE SET number = chaos_keys.number + 1 RETURNING key, number";
        let rows = tx.query(count, &[&keys]).await?;
        let made = rows.iter().map(|row| make(row.get(0), row.get::<_, i64>(1) as u64));
        let messages = made.collect::<Result<Vec<_>, _>>()?;
        Outbox::new().enqueue(&tx, &messages).await?;
        Ok(tx.commit().await?)
    }

    async fn numbers(&mut self) -> Result<Vec<(String, u64)>, Failure> {
        let rows = self.client.query("SELECT key, number FROM chaos_keys", &[]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1) as u64)).collect())
    }

    async fn handled(&mut self, show: Show<'_>) -> Result<(), Failure> {
        let select = "SELECT id, key, number FROM chaos_handled ORDER BY nth";
        let mut rows = pin!(self.client.query_raw(select, std::iter::empty::<&str>()).await?);
        while let Some(row) = rows.try_next().await? {
            show(row.get(0), row.get(1), row.get::<_, i64>(2) as u64);
        }
        Ok(())
    }
}
