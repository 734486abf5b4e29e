//! Which stores the program can open: a visible list, no magic. Commands see only the port.

use std::sync::Arc;

use posthaste::Result;
use posthaste::store::Store;
use serde::Deserialize;

use crate::config::{Problem, Settings, StorePlan};

#[cfg(feature = "mongodb")]
mod mongodb;
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
    Mongodb,
}

impl Kind {
    /// As it is written, and as the key of what only it has.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Mongodb => "mongodb",
        }
    }

    /// Whether this program can open it; if not, what to do about that.
    pub fn available(self) -> Result<(), String> {
        match self {
            Self::Sqlite if cfg!(feature = "sqlite") => Ok(()),
            Self::Postgres if cfg!(feature = "postgres") => Ok(()),
            Self::Mongodb if cfg!(feature = "mongodb") => Ok(()),
            _ => Err(built_without(self.name())),
        }
    }

    /// An example of its `url`, for stores that are reached by one.
    pub fn url_example(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("postgres://app@localhost/app"),
            Self::Mongodb => Some("mongodb://localhost:27017/app?replicaSet=rs0"),
        }
    }

    /// Checks the table of settings that only this store has, which is to be found at the key `under`.
    pub fn check(self, settings: &Settings, under: &str, problems: &mut Vec<Problem>) {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres => drop(settings.parse::<posthaste::stores::postgres::Options>(under, problems)),
            #[cfg(feature = "mongodb")]
            Self::Mongodb => drop(settings.parse::<posthaste::stores::mongodb::Options>(under, problems)),
            _ => {
                let _ = (settings, under, problems);
            }
        }
    }
}

/// For a store, sink or command that Posthaste knows and this program does not have.
pub fn built_without(feature: &str) -> String {
    format!("this program is built without feature `{feature}`: build it with --features {feature}, or --features full")
}

/// Opens a journal that is there already.
pub async fn open(plan: &StorePlan) -> Result<Arc<dyn Store>> {
    match plan.kind {
        #[cfg(feature = "sqlite")]
        Kind::Sqlite => Ok(Arc::new(sqlite::open(plan)?)),
        #[cfg(feature = "postgres")]
        Kind::Postgres => Ok(Arc::new(postgres::open(plan)?)),
        #[cfg(feature = "mongodb")]
        Kind::Mongodb => Ok(Arc::new(mongodb::open(plan).await?)),
        #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mongodb")))]
        kind => std::future::ready(Err(absent(kind))).await,
    }
}

/// Creates the journal, or brings it up to date, and opens it.
pub async fn migrate(plan: &StorePlan) -> Result<Arc<dyn Store>> {
    #[cfg(feature = "sqlite")]
    if plan.kind == Kind::Sqlite {
        sqlite::create(plan)?;
    }
    let store = open(plan).await?;
    store.migrate().await?;
    Ok(store)
}

#[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mongodb")))]
fn absent(kind: Kind) -> posthaste::Error {
    let says = kind.available().err().unwrap_or_default();
    posthaste::Error::new(posthaste::error::Kind::Invalid, says)
}
