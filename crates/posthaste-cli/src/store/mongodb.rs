//! A journal in MongoDB.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use posthaste::error::Result;
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options};

use crate::config::{Problem, StorePlan};

/// How long a call waits for a primary, unless the address says otherwise. A relay asks again by itself, and a person is not kept
/// waiting for an answer that will be an error.
const SERVER_SELECTION_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Adapter;

#[async_trait]
impl super::Adapter for Adapter {
    fn url_example(&self) -> Option<&'static str> {
        Some("mongodb://localhost:27017/app?replicaSet=rs0")
    }

    fn check(&self, plan: &StorePlan, problems: &mut Vec<Problem>) {
        plan.check_options::<Options>(problems);
    }

    /// Connects with the first request, and again whenever that is needed.
    async fn open(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        let mut options: Options = plan.options()?;
        options.partitions = plan.partitions;
        options.server_selection_timeout = SERVER_SELECTION_TIMEOUT;
        Ok(Arc::new(MongoDb::open(&plan.url.0, options).await?))
    }
}
