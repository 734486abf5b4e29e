//! A journal in a SQLite file.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::error::{Error, Kind, Result};
use posthaste::store::Store;
use posthaste::stores::sqlite::{Options, Sqlite};

use crate::config::StorePlan;

pub struct Adapter;

#[async_trait]
impl super::Adapter for Adapter {
    /// A file that does not exist is not created: a mistyped path would look like an empty journal.
    async fn open(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        if !plan.path.exists() {
            let text = format!("there is no database {}: `posthaste migrate` creates it", plan.path.display());
            return Err(Error::new(Kind::Schema, text));
        }
        self.create(plan).await
    }

    async fn create(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(Sqlite::open(&plan.path, Options { partitions: plan.partitions, ..Options::default() })?))
    }
}
