use posthaste::stores::sqlite::{Options, Outbox, connect};
use rusqlite::{Connection, TransactionBehavior};

use super::{Application, Make, Show};
use crate::Failure;

pub(super) struct OnSqlite(Connection);

impl OnSqlite {
    pub(super) fn open(path: &str) -> Result<Self, Failure> {
        Ok(Self(connect(path, &Options::default())?))
    }
}

#[async_trait::async_trait]
impl Application for OnSqlite {
    async fn prepare(&mut self) -> Result<(), Failure> {
        let create =
            "CREATE TABLE IF NOT EXISTS chaos_keys (key TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
             CREATE TABLE IF NOT EXISTS chaos_handled (nth INTEGER PRIMARY KEY, id TEXT, key TEXT, number INTEGER)";
        Ok(self.0.execute_batch(create)?)
    }

    async fn write(&mut self, keys: &[String], make: Make<'_>) -> Result<(), Failure> {
        let tx = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let count = "INSERT INTO chaos_keys VALUES (?1, 1) ON CONFLICT (key) DO UPDATE SET number = number + 1 RETURNING number";
        let mut messages = Vec::with_capacity(keys.len());
        for key in keys {
            let number: u64 = tx.prepare_cached(count)?.query_row([key], |row| row.get(0))?;
            messages.push(make(key, number)?);
        }
        Outbox::new().enqueue(&tx, &messages)?;
        Ok(tx.commit()?)
    }

    async fn numbers(&mut self) -> Result<Vec<(String, u64)>, Failure> {
        let mut statement = self.0.prepare("SELECT key, number FROM chaos_keys")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    async fn handled(&mut self, show: Show<'_>) -> Result<(), Failure> {
        let mut statement = self.0.prepare("SELECT id, key, number FROM chaos_handled ORDER BY nth")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            show(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?, row.get(2)?);
        }
        Ok(())
    }
}
