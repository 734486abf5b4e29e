//! A journal in a SQLite file.

use posthaste::error::{Error, Kind, Result};
use posthaste::stores::sqlite::{Options, Sqlite};

use crate::config::StorePlan;

/// A file that is not there is not created: a mistyped path would look like an empty journal.
pub fn open(plan: &StorePlan) -> Result<Sqlite> {
    if !plan.path.exists() {
        let text = format!("there is no database {}: `posthaste migrate` creates it", plan.path.display());
        return Err(Error::new(Kind::Schema, text));
    }
    create(plan)
}

/// As [`open`], and makes an empty file if there is none.
pub fn create(plan: &StorePlan) -> Result<Sqlite> {
    Sqlite::open(&plan.path, Options { partitions: plan.partitions, ..Options::default() })
}
