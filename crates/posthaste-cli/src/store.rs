//! Which stores the program can open: a visible list, no magic. Commands see only the two ports.

use std::sync::Arc;

use posthaste::inspect::Inspect;
use posthaste::journal::Journal;
use posthaste::{Message, Result};
use serde::Deserialize;

use crate::config::StorePlan;

#[cfg(feature = "sqlite")]
mod sqlite;

/// The `type` of a store. Every store that Posthaste knows is here, built in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Sqlite,
}

impl Kind {
    /// Whether this program can open it; if not, what to do about that.
    pub fn available(self) -> Result<(), String> {
        match self {
            Self::Sqlite if cfg!(feature = "sqlite") => Ok(()),
            Self::Sqlite => Err(built_without("sqlite")),
        }
    }
}

/// For a store, sink or command that Posthaste knows and this program does not have.
pub fn built_without(feature: &str) -> String {
    format!("this program is built without feature `{feature}`: build it with --features {feature}, or --features full")
}

/// A store as the program uses it.
pub struct Store {
    pub journal: Arc<dyn Journal>,
    pub inspect: Arc<dyn Inspect>,
    backend: Backend,
}

/// For the one thing that has no port, because applications bring their own transaction: writing.
enum Backend {
    #[cfg(feature = "sqlite")]
    Sqlite(sqlite::Backend),
}

impl Store {
    /// Opens a journal that is there already.
    pub async fn open(plan: &StorePlan) -> Result<Self> {
        match plan.kind {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite => std::future::ready(sqlite::open(plan)).await,
            #[cfg(not(feature = "sqlite"))]
            Kind::Sqlite => std::future::ready(Err(absent("sqlite"))).await,
        }
    }

    /// Creates the journal, or brings it up to date, and opens it.
    pub async fn migrate(plan: &StorePlan) -> Result<Self> {
        match plan.kind {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite => sqlite::migrate(plan).await,
            #[cfg(not(feature = "sqlite"))]
            Kind::Sqlite => std::future::ready(Err(absent("sqlite"))).await,
        }
    }

    /// Writes all messages in one transaction. For each: whether it was stored, or known before by its origin.
    pub fn enqueue(&self, messages: &[Message]) -> Result<Vec<bool>> {
        match &self.backend {
            #[cfg(feature = "sqlite")]
            Backend::Sqlite(backend) => backend.enqueue(messages),
            #[cfg(not(feature = "sqlite"))]
            _ => Err(absent("sqlite").caused_by(format!("{} messages were not stored", messages.len()))),
        }
    }
}

#[cfg(not(feature = "sqlite"))]
fn absent(feature: &str) -> posthaste::Error {
    posthaste::Error::new(posthaste::error::Kind::Invalid, built_without(feature))
}
