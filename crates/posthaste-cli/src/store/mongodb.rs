//! A journal in MongoDB.

use std::time::Duration;

use posthaste::error::{Error, Kind, Result};
use posthaste::stores::mongodb::{MongoDb, Options};

use crate::config::StorePlan;

/// How long a call waits for a primary, unless the address says otherwise. A relay asks again by itself, and a person is not kept
/// waiting for an answer that will be an error.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connects at the first question, and anew whenever that is needed.
pub async fn open(plan: &StorePlan) -> Result<MongoDb> {
    MongoDb::open(&plan.url.0, options(plan)?).await
}

fn options(plan: &StorePlan) -> Result<Options> {
    let mut problems = Vec::new();
    let settings = plan.settings.parse::<Options>("store.mongodb", &mut problems);
    let wrong =
        || Error::new(Kind::Invalid, problems.first().map_or_else(String::new, |p| format!("{} {}", p.key, p.says)));
    let mut options = settings.ok_or_else(wrong)?;
    options.partitions = plan.partitions;
    options.server_selection_timeout = PATIENCE;
    Ok(options)
}
