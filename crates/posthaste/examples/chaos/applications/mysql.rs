use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, TxOpts};
use posthaste::stores::mysql::Outbox;

use super::{Application, Make, Show};
use crate::Failure;

pub(super) struct OnMysql(Conn);

impl OnMysql {
    pub(super) async fn open(url: &str) -> Result<Self, Failure> {
        Ok(Self(Conn::new(Opts::from_url(url)?).await?))
    }
}

#[async_trait::async_trait]
impl Application for OnMysql {
    async fn prepare(&mut self) -> Result<(), Failure> {
        let create = "CREATE TABLE IF NOT EXISTS chaos_keys (`key` VARCHAR(64) PRIMARY KEY, number BIGINT NOT NULL)";
        self.0.query_drop(create).await?;
        let create = "CREATE TABLE IF NOT EXISTS chaos_handled \
                      (nth BIGINT AUTO_INCREMENT PRIMARY KEY, id VARCHAR(64), `key` VARCHAR(64), number BIGINT)";
        Ok(self.0.query_drop(create).await?)
    }

    async fn write(&mut self, keys: &[String], make: Make<'_>) -> Result<(), Failure> {
        let mut tx = self.0.start_transaction(TxOpts::default()).await?;
        let count = "INSERT INTO chaos_keys VALUES (?, 1) ON DUPLICATE KEY UPDATE number = number + 1";
        tx.exec_batch(count, keys.iter().map(|key| (key,))).await?;
        let marks = vec!["?"; keys.len()].join(", ");
        let select = format!("SELECT `key`, number FROM chaos_keys WHERE `key` IN ({marks})");
        let rows: Vec<(String, u64)> = tx.exec(select, keys.to_vec()).await?;
        let messages = rows.iter().map(|(key, number)| make(key, *number)).collect::<Result<Vec<_>, _>>()?;
        Outbox::new().enqueue(&mut tx, &messages).await?;
        Ok(tx.commit().await?)
    }

    async fn numbers(&mut self) -> Result<Vec<(String, u64)>, Failure> {
        Ok(self.0.query("SELECT `key`, number FROM chaos_keys").await?)
    }

    async fn handled(&mut self, show: Show<'_>) -> Result<(), Failure> {
        let rows = self.0.query_iter("SELECT id, `key`, number FROM chaos_handled ORDER BY nth").await?;
        rows.for_each_and_drop(|row| {
            let (id, key, number): (String, String, u64) = mysql_async::from_row(row);
            show(&id, &key, number);
        })
        .await?;
        Ok(())
    }
}
