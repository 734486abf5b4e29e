//! A journal in PostgreSQL.

use posthaste::error::{Error, Kind, Result};
use posthaste::stores::postgres::{Options, Postgres};

use crate::config::StorePlan;

/// Connects at the first question, and anew whenever that is needed.
pub fn open(plan: &StorePlan) -> Result<Postgres> {
    Postgres::open(options(plan)?)
}

fn options(plan: &StorePlan) -> Result<Options> {
    let mut problems = Vec::new();
    let settings = plan.settings.parse::<Options>("store.postgres", &mut problems);
    let wrong =
        || Error::new(Kind::Invalid, problems.first().map_or_else(String::new, |p| format!("{} {}", p.key, p.says)));
    let mut options = settings.ok_or_else(wrong)?;
    options.url = plan.url.0.as_str().into();
    options.partitions = plan.partitions;
    Ok(options)
}
