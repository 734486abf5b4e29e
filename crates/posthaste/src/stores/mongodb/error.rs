//! What MongoDB's errors mean for a caller.

use std::fmt;

use mongodb::bson::Document;
use mongodb::error::{ErrorKind, TRANSIENT_TRANSACTION_ERROR, UNKNOWN_TRANSACTION_COMMIT_RESULT, WriteFailure};

use super::codec::number;
use crate::error::{Error, Kind};

pub(super) const DUPLICATE_KEY: i32 = 11_000;
const WRITE_CONFLICT: i32 = 112;
const NO_SUCH_TRANSACTION: i32 = 251;
const INTERRUPTED: i32 = 11_601;

/// Someone ended the session or its cursor, as others do when they think that a worker is dead.
pub(super) const KILLED: [i32; 3] = [43, 237, INTERRUPTED];

/// What is kept of a driver's error. Not the error itself: its details may quote a document, and so a payload.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) code: Option<i32>,
    /// The whole transaction may be tried again.
    pub(super) transient: bool,
    unknown_commit: bool,
    text: String,
}

impl Failure {
    /// Of a commit: it may or may not have happened. A server that knows of no such transaction but could not make sure that the
    /// others do not either does not call it transient.
    pub(super) fn leaves_a_commit_unknown(&self) -> bool {
        let is_unsure = self.code == Some(NO_SUCH_TRANSACTION) && !self.transient;
        self.unknown_commit || is_unsure || self.code == Some(INTERRUPTED)
    }

    /// The server has answered, and of a transaction in which something failed, or whose commit did, it leaves nothing open.
    pub(super) fn ends_a_transaction(&self) -> bool {
        self.code.is_some() && !self.leaves_a_commit_unknown()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

impl From<mongodb::error::Error> for Error {
    fn from(error: mongodb::error::Error) -> Self {
        let failure = failure(&error);
        let (kind, context) = meaning(&error, failure.code);
        Self::new(kind, context).caused_by(failure)
    }
}

/// The driver's part of an error, if it has one.
pub(super) fn failure_of(error: &Error) -> Option<&Failure> {
    std::error::Error::source(error)?.downcast_ref()
}

/// An address that the driver does not understand. Its own words would repeat the address, password included.
pub(super) fn address(error: mongodb::error::Error) -> Error {
    match *error.kind {
        ErrorKind::DnsResolve { .. } => Error::new(Kind::Unavailable, "the address of MongoDB cannot be resolved"),
        _ => {
            Error::new(Kind::Invalid, "not an address of MongoDB: mongodb://USER:PASSWORD@HOST:PORT,…/DATABASE?OPTIONS")
        }
    }
}

fn failure(error: &mongodb::error::Error) -> Failure {
    let (code, text) = match &*error.kind {
        ErrorKind::Command(command) => (Some(command.code), format!("{} ({})", command.message, command.code)),
        ErrorKind::Write(WriteFailure::WriteError(write)) => {
            (Some(write.code), format!("{} ({})", write.message, write.code))
        }
        ErrorKind::Write(WriteFailure::WriteConcernError(write)) => {
            (Some(write.code), format!("{} ({})", write.message, write.code))
        }
        ErrorKind::InsertMany(insert) => {
            let first = insert.write_errors.as_ref().and_then(|errors| errors.first());
            let concern = insert.write_concern_error.as_ref();
            let code = first.map(|first| first.code).or(concern.map(|concern| concern.code));
            let text = first.map(|first| &first.message).or(concern.map(|concern| &concern.message));
            (code, text.cloned().unwrap_or_default())
        }
        ErrorKind::ServerSelection { message, .. } => (None, nobody_there(message)),
        other => (None, other.to_string()),
    };
    Failure {
        code,
        transient: error.contains_label(TRANSIENT_TRANSACTION_ERROR) || code.is_some_and(|code| KILLED.contains(&code)),
        unknown_commit: error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT),
        text,
    }
}

/// Which servers were tried, and why none will do: what a person needs of the driver's description of its whole topology.
fn nobody_there(message: &str) -> String {
    let part = |text: &str, from: &str, to: &str| Some(text.split_once(from)?.1.split_once(to)?.0.to_owned());
    let servers = message.split("Address: ").skip(1).map(|server| {
        let address = server.split([',', ' ']).next().unwrap_or_default();
        let why = part(server, "Error: Kind: ", ", labels:")
            .or_else(|| part(server, "Type: ", " ").map(|kind| format!("is {kind}")));
        format!("{address} {}", why.unwrap_or_default().trim_end_matches(','))
    });
    match servers.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => message.to_owned(),
        servers => format!("no server is there that takes writes: {servers}"),
    }
}

fn meaning(error: &mongodb::error::Error, code: Option<i32>) -> (Kind, &'static str) {
    match (&*error.kind, code) {
        (ErrorKind::Authentication { .. }, _) | (_, Some(13 | 18)) => {
            (Kind::Denied, "MongoDB refuses the user: check name, password and roles (readWrite on the database)")
        }
        (ErrorKind::Transaction { .. } | ErrorKind::SessionsNotSupported, _) | (_, Some(20)) => {
            (Kind::Invalid, NO_REPLICA_SET)
        }
        (ErrorKind::IncompatibleServer { .. }, _) => (Kind::Invalid, "MongoDB is too old: 5.0 or newer is needed"),
        (_, Some(DUPLICATE_KEY)) => {
            (Kind::Unavailable, "another transaction wrote the same message at the same moment: try again")
        }
        (_, Some(10_334)) => (Kind::Invalid, "a message is too large for a document of MongoDB"),
        (_, Some(121)) => (Kind::Invalid, "the collection's validation rules refuse the document"),
        (ErrorKind::InvalidArgument { .. }, _) => (Kind::Invalid, "the call is wrong"),
        // Everything else, from a primary that steps down to a full disk, may be over when it is tried again.
        _ => (Kind::Unavailable, "MongoDB cannot do this now"),
    }
}

/// `update` and `delete` answer with success and a list of what failed.
pub(super) fn check_write(answer: &Document) -> Result<(), Error> {
    let first =
        answer.get_array("writeErrors").ok().and_then(|errors| errors.first()).and_then(|first| first.as_document());
    let failed = first.or_else(|| answer.get_document("writeConcernError").ok());
    let Some(failed) = failed else { return Ok(()) };
    let code = number(failed, "code").and_then(|code| i32::try_from(code).ok());
    let text = failed.get_str("errmsg").unwrap_or("a write failed").to_owned();
    let failure = Failure { code, transient: code == Some(WRITE_CONFLICT), unknown_commit: false, text };
    Err(Error::new(Kind::Unavailable, "MongoDB cannot do this now").caused_by(failure))
}

const NO_REPLICA_SET: &str = "this MongoDB is a single server without transactions and change streams. Make it a replica set of \
     one: start mongod with --replSet rs0 (or set replication.replSetName), then run rs.initiate() once in mongosh; the data stays";

pub(super) fn no_replica_set() -> Error {
    Error::new(Kind::Invalid, NO_REPLICA_SET)
}

pub(super) fn no_journal() -> Error {
    Error::new(Kind::Schema, "the database holds no journal: run `posthaste migrate`")
}

pub(super) fn too_slow() -> Error {
    Error::new(Kind::Unavailable, "MongoDB did not answer in time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_servers_that_are_not_there_only_addresses_and_reasons_are_told() {
        let message = "Server selection timeout: No available servers. Topology: { Type: ReplicaSetNoPrimary, Servers: [ { \
                       Address: db1:27017, Type: Unknown, Error: Kind: I/O error: Connection refused (os error 111), labels: \
                       {\"RetryableError\"}, source: None, server response: None }, { Address: db2:27017, Type: RSSecondary, \
                       Average RTT: 1ms } ] }";
        let told = "no server is there that takes writes: db1:27017 I/O error: Connection refused (os error 111); db2:27017 is RSSecondary";
        assert_eq!(nobody_there(message), told);
        assert_eq!(nobody_there("no topology"), "no topology");
    }
}
