//! A journal in PostgreSQL.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::Message;
use posthaste::error::{Error, Kind, Result};
use posthaste::inspect::Finding;
use posthaste::journal::Journal;
use posthaste::stores::postgres::{Options, Postgres};

use super::Store;
use crate::config::StorePlan;

struct Backend(Postgres);

/// Connects at the first question, and anew whenever that is needed.
pub fn open(plan: &StorePlan) -> Result<Store> {
    let postgres = Postgres::open(options(plan)?)?;
    Ok(Store { inspect: Arc::new(postgres.clone()), backend: Box::new(Backend(postgres)) })
}

pub async fn migrate(plan: &StorePlan) -> Result<Store> {
    Postgres::open(options(plan)?)?.migrate().await?;
    open(plan)
}

fn options(plan: &StorePlan) -> Result<Options> {
    let mut problems = Vec::new();
    let settings = plan.settings.parse::<Options>("store.postgres", &mut problems);
    let wrong =
        || Error::new(Kind::Invalid, problems.first().map_or_else(String::new, |p| format!("{} {}", p.key, p.says)));
    Ok(Options { url: plan.url.0.clone(), partitions: plan.partitions, ..settings.ok_or_else(wrong)? })
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

    async fn accept(&self) -> Result<()> {
        self.0.accept_store().await
    }
}
