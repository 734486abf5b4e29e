//! What PostgreSQL's errors mean for a caller.

use tokio_postgres::error::SqlState;

use crate::error::{Error, Kind};

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(code) = error.code() else {
            if is_ours(&error) {
                return Self::new(Kind::Denied, "the database cannot be connected to as configured").caused_by(error);
            }
            return Self::new(Kind::Unavailable, "the database cannot be reached, or the connection broke")
                .caused_by(error);
        };
        let (kind, context) = meaning(code);
        match error.as_db_error() {
            // The text of a server names tables and constraints, and never the values of a row; its details do.
            Some(server) => Self::new(kind, context).caused_by(server.message().to_owned()),
            None => Self::new(kind, context),
        }
    }
}

/// A password that is missing, or a way to prove it that only one side knows: the client has no other sign for it than its words.
fn is_ours(error: &tokio_postgres::Error) -> bool {
    ["invalid configuration", "authentication error"].contains(&error.to_string().as_str())
}

fn meaning(code: &SqlState) -> (Kind, &'static str) {
    match code {
        c if *c == SqlState::UNDEFINED_TABLE
            || *c == SqlState::UNDEFINED_COLUMN
            || *c == SqlState::INVALID_SCHEMA_NAME =>
        {
            (Kind::Schema, "the database holds no journal of this version: run `posthaste migrate`")
        }
        c if *c == SqlState::INSUFFICIENT_PRIVILEGE => (
            Kind::Invalid,
            "the user of the database may not do this: grant it the role it needs (docs/stores/postgres.md)",
        ),
        c if *c == SqlState::CHECK_VIOLATION || *c == SqlState::NOT_NULL_VIOLATION => {
            (Kind::Invalid, "the journal refused a message")
        }
        c if c.code() == super::ANOTHER_SERVER => {
            (Kind::Unavailable, "the database failed over behind the pooler: connecting anew")
        }
        c if *c == SqlState::INVALID_SQL_STATEMENT_NAME || *c == SqlState::DUPLICATE_PSTATEMENT => (
            Kind::Unavailable,
            "prepared statements do not stay on the connection, so there is a pooler in transaction mode: \
             set store.postgres.pooler = \"transaction\"",
        ),
        c if *c == SqlState::READ_ONLY_SQL_TRANSACTION => {
            (Kind::Unavailable, "the database cannot be written to: is it a replica?")
        }
        c => by_class(&c.code()[..2]),
    }
}

fn by_class(class: &str) -> (Kind, &'static str) {
    match class {
        "08" => (Kind::Unavailable, "the connection to the database broke"),
        "28" | "3D" => (Kind::Denied, "the database does not let us in"),
        "40" => (Kind::Unavailable, "the database gave up a transaction in favour of another"),
        "53" => (Kind::Unavailable, "the database has run out of space, memory or connections"),
        "55" => (Kind::Unavailable, "someone else has locked what is needed"),
        "57" => (Kind::Unavailable, "the database is shutting down, starting, or has cancelled a statement"),
        "58" | "XX" => (Kind::Unavailable, "the database has a problem of its own"),
        "22" | "23" => (Kind::Invalid, "the database refused a value"),
        _ => (Kind::Corrupt, "the database gave an answer that should be impossible"),
    }
}
