//! A journal in a SQLite file.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use posthaste::Message;
use posthaste::error::{Error, Kind, Result};
use posthaste::journal::Journal;
use posthaste::stores::sqlite::{self, Options, Sqlite};
use rusqlite::TransactionBehavior;

use super::Store;
use crate::config::StorePlan;

/// The store, and what is needed to write as an application does.
pub struct Backend {
    sqlite: Sqlite,
    path: PathBuf,
    options: Options,
}

/// A file that is not there is not created: a mistyped path would look like an empty journal.
pub fn open(plan: &StorePlan) -> Result<Store> {
    if !plan.path.exists() {
        let text = format!("there is no database {}: `posthaste migrate` creates it", plan.path.display());
        return Err(Error::new(Kind::Schema, text));
    }
    Ok(store(plan, Sqlite::open(&plan.path, options(plan))?))
}

pub async fn migrate(plan: &StorePlan) -> Result<Store> {
    let sqlite = Sqlite::open(&plan.path, options(plan))?;
    sqlite.migrate().await?;
    Ok(store(plan, sqlite))
}

fn options(plan: &StorePlan) -> Options {
    Options { partitions: plan.partitions, ..Options::default() }
}

fn store(plan: &StorePlan, sqlite: Sqlite) -> Store {
    let inspect = Arc::new(sqlite.clone());
    Store { inspect, backend: Box::new(Backend { sqlite, path: plan.path.clone(), options: options(plan) }) }
}

#[async_trait]
impl super::Backend for Backend {
    fn journal(&self) -> Arc<dyn Journal> {
        Arc::new(self.sqlite.clone())
    }

    async fn enqueue(&self, messages: &[Message]) -> Result<Vec<bool>> {
        let mut connection = sqlite::connect(&self.path, &self.options)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let store = |message| Ok(sqlite::enqueue(&transaction, std::slice::from_ref(message))?.stored == 1);
        let stored = messages.iter().map(store).collect::<Result<_>>()?;
        transaction.commit()?;
        Ok(stored)
    }
}
