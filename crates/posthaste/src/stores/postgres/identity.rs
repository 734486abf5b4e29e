//! Which database this is, and what to do when it is not the one before.
//!
//! Ticks are snapshots of one server's transactions. In a copy that was dumped and restored elsewhere, or in a database that went
//! back in time, the same numbers mean something else. So the identity of the system and its timeline are kept with the journal:
//!
//! | system | timeline | what it is | what follows |
//! |---|---|---|---|
//! | the same | the same | the same server, or one that shares its disk | nothing |
//! | the same | later | a failover, planned or not | a **seam** (`sql/schema/seam.sql`), and everything goes on |
//! | the same | earlier | an older state | nothing is delivered until a person has looked |
//! | another | any | a copy | nothing is delivered until a person has looked |
//!
//! Every connection asks when it is made, before it is used for anything: a failover never happens to an open connection, because one
//! to a server that cannot be written to is not kept. Behind a pooler it can, so there every transaction asks (`pooler.rs`).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row, SimpleQueryMessage, SimpleQueryRow};

use super::schema::in_schema;
use super::ticks::Ticks;
use crate::error::{Error, Kind, Result};

/// The timeline of a server that cannot be written to.
const REPLICA: &str = "replica";
/// Where the server does not tell.
const UNKNOWN: &str = "unknown";

/// A server, as it tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) system: String,
    pub(super) timeline: String,
}

/// The server, as the connections of this process found it.
#[derive(Debug, Default)]
pub(super) struct Identity(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    server: Server,
    since: Instant,
}

impl Server {
    /// Whether it tells enough to be told from another, and from itself after a failover.
    pub(super) fn tells(&self) -> bool {
        self.timeline != UNKNOWN
    }
}

/// Finds out where a new connection leads to, and makes the seam of a failover. Refuses a replica, another database than before, and an
/// earlier state of it.
pub(super) async fn recognise(identity: &Identity, client: &Client, ticks: &Ticks, schema: &str) -> Result<Server> {
    let found = ask(client).await?;
    if found.timeline == REPLICA {
        return Err(unavailable("the server is a replica, which cannot be written to: waiting for a primary"));
    }
    let before = identity.server();
    if before.as_ref() == Some(&found) {
        return Ok(found);
    }
    if before.is_some_and(|before| before.system != found.system || before.timeline > found.timeline) {
        return Err(unavailable(
            "this is another database than before, or an earlier state of it: run `posthaste check`, then start anew",
        ));
    }
    make_seam(client, schema).await?;
    ticks.forget();
    *identity.known() = Some(Known { server: found.clone(), since: Instant::now() });
    Ok(found)
}

fn unavailable(text: &str) -> Error {
    Error::new(Kind::Unavailable, text)
}

impl Identity {
    /// The server that new connections lead to; nothing before the first connection.
    pub(super) fn server(&self) -> Option<Server> {
        self.known().as_ref().map(|known| known.server.clone())
    }

    /// Whether a connection that was made then leads to the server of before the last failover.
    pub(super) fn is_outdated(&self, made: Instant) -> bool {
        self.known().as_ref().is_some_and(|known| made < known.since)
    }

    fn known(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks without a name for the question, which a pooler could not keep.
async fn ask(client: &Client) -> Result<Server> {
    let told = client.simple_query(include_str!("sql/connection/identity.sql")).await;
    let told = match told {
        Err(error) if error.as_db_error().is_some() => {
            client.simple_query(include_str!("sql/connection/identity_by_oid.sql")).await
        }
        told => told,
    };
    let server = row(told?).and_then(|row| {
        Some(Server { system: row.get("system")?.to_owned(), timeline: row.get("timeline")?.to_owned() })
    });
    server.ok_or_else(|| Error::new(Kind::Corrupt, "the database does not say who it is"))
}

fn row(answer: Vec<SimpleQueryMessage>) -> Option<SimpleQueryRow> {
    answer.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })
}

/// Nothing happens where there is no journal, an old one, or one of which the server does not tell whether it failed over.
async fn make_seam(client: &Client, schema: &str) -> Result<()> {
    match client.simple_query(&in_schema(include_str!("sql/connection/seam.sql"), schema)).await {
        Ok(answer) => {
            if row(answer).is_some_and(|row| row.get("made") == Some("t")) {
                tracing::warn!(
                    "the database failed over: messages may have been delivered whose transactions are gone, and the last \
                     deliveries may be repeated; `posthaste audit` shows where"
                );
            }
            Ok(())
        }
        Err(error) if error.code().is_some_and(is_without_journal) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn is_without_journal(code: &SqlState) -> bool {
    [
        SqlState::UNDEFINED_FUNCTION,
        SqlState::UNDEFINED_TABLE,
        SqlState::INVALID_SCHEMA_NAME,
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::FEATURE_NOT_SUPPORTED,
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
    ]
    .contains(code)
}

/// Refuses a journal whose row says that it belongs to another database than the one that was found, or to another state of it.
pub(super) fn check(row: &Row, found: Option<&Server>) -> Result<()> {
    let Some(found) = found else { return Ok(()) };
    let (system, timeline): (&str, &str) = (row.try_get("system")?, row.try_get("timeline")?);
    let blind = timeline == UNKNOWN || found.timeline == UNKNOWN;
    let what = if !blind && system != found.system {
        "the journal was copied from another server, so its positions mean nothing here"
    } else if row.try_get("is_ahead")? {
        "the journal is ahead of its server, so it was copied from another one"
    } else if !blind && timeline != found.timeline {
        "the database is in an earlier state than the journal, so the last deliveries may be forgotten"
    } else {
        return Ok(());
    };
    let text = format!(
        "{what}: nothing is delivered until you have run `posthaste migrate --accept-store`; see docs/stores/postgres.md"
    );
    Err(Error::new(Kind::Schema, text))
}
