//! A journal in PostgreSQL.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::error::Result;
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};

use crate::config::{Problem, StorePlan};

pub struct Adapter;

<<<<<<< HEAD
fn options(plan: &StorePlan) -> Result<Options> {
    let mut problems = Vec::new();
    let settings = plan.settings.parse::<Options>("store.postgres", &mut problems);
    let wrong =
        || Error::new(Kind::Invalid, problems.first().map_or_else(String::new, |p| format!("{} {}", p.key, p.says)));
    let mut options = settings.ok_or_else(wrong)?;
    options.url = plan.url.0.as_str().into();
    options.partitions = plan.partitions;
    Ok(options)
=======
#[async_trait]
impl super::Adapter for Adapter {
    fn url_example(&self) -> Option<&'static str> {
        Some("postgres://app@localhost/app")
    }

    fn check(&self, plan: &StorePlan, problems: &mut Vec<Problem>) {
        plan.check_options::<Options>(problems);
    }

    /// Connects with the first request, and again whenever that is needed.
    async fn open(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        let options = Options { url: plan.url.0.clone(), partitions: plan.partitions, ..plan.options()? };
        Ok(Arc::new(Postgres::open(options)?))
    }
>>>>>>> main
}
