//! The stores that the program can open. A new store is a variant of [`Kind`], an arm of [`Kind::adapter`] and a file beside the others.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use posthaste::Result;
use posthaste::error::{Error, Kind as ErrorKind};
use posthaste::store::Store;
use serde::Deserialize;

use crate::config::{Problem, StorePlan};

#[cfg(feature = "mongodb")]
mod mongodb;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

/// The `type` of a store. Every store that Posthaste knows is here, built in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Sqlite,
    Postgres,
    Mysql,
    Mongodb,
}

impl Kind {
    /// `None` if this program is built without it.
    pub fn adapter(self) -> Option<&'static dyn Adapter> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite => Some(&sqlite::Adapter),
            #[cfg(feature = "postgres")]
            Self::Postgres => Some(&postgres::Adapter),
            #[cfg(feature = "mysql")]
            Self::Mysql => Some(&mysql::Adapter),
            #[cfg(feature = "mongodb")]
            Self::Mongodb => Some(&mongodb::Adapter),
            #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mysql", feature = "mongodb")))]
            _ => None,
        }
    }
}

/// As it is written in the config: as `store.type`, and as the name of the store's own table.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// How the program opens one kind of store.
#[async_trait]
pub trait Adapter: Sync {
    /// An example of `store.url`, for a store that is a server. A store without one is a file at `store.path`.
    fn url_example(&self) -> Option<&'static str> {
        None
    }

    /// Notes what is wrong with the table of settings that only this store has.
    fn check(&self, _plan: &StorePlan, _problems: &mut Vec<Problem>) {}

    /// Opens a journal that exists.
    async fn open(&self, plan: &StorePlan) -> Result<Arc<dyn Store>>;

    /// Opens a store that may have no journal yet.
    async fn create(&self, plan: &StorePlan) -> Result<Arc<dyn Store>> {
        self.open(plan).await
    }
}

/// For a store, sink or command that Posthaste knows and this program does not have.
pub fn built_without(feature: &str) -> String {
    format!("this program is built without feature `{feature}`: build it with --features {feature}, or --features full")
}

/// Opens a journal that exists.
pub async fn open(plan: &StorePlan) -> Result<Arc<dyn Store>> {
    adapter(plan)?.open(plan).await
}

/// Creates the journal, or brings it up to date, and opens it.
pub async fn migrate(plan: &StorePlan) -> Result<Arc<dyn Store>> {
    let store = adapter(plan)?.create(plan).await?;
    store.migrate().await?;
    Ok(store)
}

fn adapter(plan: &StorePlan) -> Result<&'static dyn Adapter> {
    let absent = || Error::new(ErrorKind::Invalid, built_without(&plan.kind.to_string()));
    plan.kind.adapter().ok_or_else(absent)
}
