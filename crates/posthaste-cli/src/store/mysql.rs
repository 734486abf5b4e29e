//! A journal in MySQL or MariaDB.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::error::Result;
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options};

use crate::config::{Problem, StorePlan};

pub struct Adapter;

#[async_trait]
impl super::Adapter for Adapter {
    fn url_example(&self) -> Option<&'static str> {
        Some("mysql://app@localhost/app")
    }

    fn check(&self, plan: &StorePlan, problems: &mut Vec<Problem>) {
        plan.check_options::<Options>(problems);
    }

    /// Connects with the first request, and again whenever that is needed.
    async fn open(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        let mut options: Options = plan.options()?;
        options.url = plan.url.0.as_str().into();
        options.partitions = plan.partitions;
        Ok(Arc::new(MySql::open(options)?))
    }
}
