//! A journal in MongoDB.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::Message;
use posthaste::error::{Error, Kind, Result};
use posthaste::inspect::Finding;
use posthaste::journal::Journal;
use posthaste::stores::mongodb::{MongoDb, Options};

use super::Store;
use crate::config::StorePlan;

/// How long a call waits for a primary, unless the address says otherwise. A relay asks again by itself, and a person is not kept
/// waiting for an answer that will be an error.
const PATIENCE: Duration = Duration::from_secs(5);

struct Backend(MongoDb);

/// Connects at the first question, and anew whenever that is needed.
pub async fn open(plan: &StorePlan) -> Result<Store> {
    let store = MongoDb::connect(&plan.url.0, options(plan)?).await?;
    Ok(Store { inspect: Arc::new(store.clone()), backend: Box::new(Backend(store)) })
}

pub async fn migrate(plan: &StorePlan) -> Result<Store> {
    MongoDb::connect(&plan.url.0, options(plan)?).await?.migrate().await?;
    open(plan).await
}

fn options(plan: &StorePlan) -> Result<Options> {
    let mut problems = Vec::new();
    let settings = plan.settings.parse::<Options>("store.mongodb", &mut problems);
    let wrong =
        || Error::new(Kind::Invalid, problems.first().map_or_else(String::new, |p| format!("{} {}", p.key, p.says)));
    let settings = settings.ok_or_else(wrong)?;
    Ok(Options { partitions: plan.partitions, server_selection_timeout: PATIENCE, ..settings })
}

#[async_trait]
impl super::Backend for Backend {
    fn journal(&self) -> Arc<dyn Journal> {
        Arc::new(self.0.clone())
    }

    async fn enqueue(&self, messages: &[Message]) -> Result<Vec<bool>> {
        self.0.write(messages).await
    }

    async fn findings(&self) -> Result<Vec<Finding>> {
        self.0.check().await
    }
}
