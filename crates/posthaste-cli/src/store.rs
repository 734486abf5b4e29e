//! Which stores the program can open: a visible list, no magic. Commands see only the two ports.

use std::sync::Arc;

use async_trait::async_trait;
use posthaste::inspect::{Finding, Inspect};
use posthaste::journal::Journal;
use posthaste::{Error, Message, Result, error};
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

/// A store as the program uses it.
pub struct Store {
    pub inspect: Arc<dyn Inspect>,
    backend: Box<dyn Backend>,
}

/// What the kinds of stores do each in their way. For what has no port: writing, because applications bring their own transaction, and a look at the surroundings.
#[async_trait]
trait Backend: Send + Sync {
    /// A handle that has waited for nothing yet.
    fn journal(&self) -> Arc<dyn Journal>;

    /// Writes all messages in one transaction. For each: whether it was stored, or known before by its origin.
    async fn enqueue(&self, messages: &[Message]) -> Result<Vec<bool>>;

    /// What a person should know before a relay runs here.
    async fn findings(&self) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// Takes a journal over whose database is another one than it was, or went back in time.
    async fn accept(&self) -> Result<()> {
        Err(Error::new(error::Kind::Invalid, "this kind of store need not be accepted: leave --accept-store out"))
    }
}

impl Store {
    /// Opens a journal that is there already.
    pub async fn open(plan: &StorePlan) -> Result<Self> {
        match plan.kind {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite => sqlite::open(plan),
            #[cfg(feature = "postgres")]
            Kind::Postgres => postgres::open(plan),
            #[cfg(feature = "mongodb")]
            Kind::Mongodb => mongodb::open(plan).await,
            #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mongodb")))]
            kind => std::future::ready(Err(absent(kind))).await,
        }
    }

    /// Creates the journal, or brings it up to date, and opens it.
    pub async fn migrate(plan: &StorePlan) -> Result<Self> {
        match plan.kind {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite => sqlite::migrate(plan).await,
            #[cfg(feature = "postgres")]
            Kind::Postgres => postgres::migrate(plan).await,
            #[cfg(feature = "mongodb")]
            Kind::Mongodb => mongodb::migrate(plan).await,
            #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mongodb")))]
            kind => std::future::ready(Err(absent(kind))).await,
        }
    }

    /// A handle of its own for each relay: it remembers what it has noticed, and the last wait of a relay that has ended would
    /// notice in place of the next one.
    pub fn journal(&self) -> Arc<dyn Journal> {
        self.backend.journal()
    }

    /// Writes all messages in one transaction. For each: whether it was stored, or known before by its origin.
    pub async fn enqueue(&self, messages: &[Message]) -> Result<Vec<bool>> {
        self.backend.enqueue(messages).await
    }

    /// What a person should know before a relay runs here; none that refuses is a good sign.
    pub async fn findings(&self) -> Result<Vec<Finding>> {
        self.backend.findings().await
    }

    /// Takes a journal over whose database is another one than it was, or went back in time.
    pub async fn accept(&self) -> Result<()> {
        self.backend.accept().await
    }
}

#[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "mongodb")))]
fn absent(kind: Kind) -> posthaste::Error {
    let says = kind.available().err().unwrap_or_default();
    posthaste::Error::new(posthaste::error::Kind::Invalid, says)
}
