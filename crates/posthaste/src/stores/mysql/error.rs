//! What the errors of a server mean for a caller, whichever driver brings them.

use crate::error::{Error, Kind};

#[cfg(feature = "mysql_async")]
const UNREACHABLE: &str = "the database cannot be reached, or the connection broke";

#[cfg(feature = "mysql_async")]
impl From<mysql_async::Error> for Error {
    fn from(error: mysql_async::Error) -> Self {
        match error {
            mysql_async::Error::Server(server) => {
                let (kind, context) = meaning(server.code);
                Self::new(kind, context).caused_by(server)
            }
            mysql_async::Error::Url(_) => Self::new(Kind::Invalid, "the URL of the database cannot be understood"),
            // Its text would show a row.
            mysql_async::Error::Driver(
                mysql_async::DriverError::FromRow { .. } | mysql_async::DriverError::FromValue { .. },
            ) => Self::new(Kind::Corrupt, "a column holds another type of value than it should"),
            mysql_async::Error::Driver(mysql_async::DriverError::PacketTooLarge) => Self::new(
                Kind::Invalid,
                "a message is larger than max_allowed_packet: raise it on the server, or send less",
            ),
            // Each of its wrappers would say the same again.
            mysql_async::Error::Io(mysql_async::IoError::Io(error)) => {
                Self::new(Kind::Unavailable, UNREACHABLE).caused_by(error)
            }
            other => Self::new(Kind::Unavailable, UNREACHABLE).caused_by(other),
        }
    }
}

/// The same for what sqlx says.
#[cfg(feature = "sqlx-mysql")]
pub(crate) fn sqlx(error: ::sqlx::Error) -> Error {
    let (kind, context) = match (&error, number(&error)) {
        (::sqlx::Error::Database(_), code) => meaning(code.unwrap_or_default()),
        _ => (Kind::Unavailable, "the database cannot be reached"),
    };
    Error::new(kind, context).caused_by(error)
}

/// The number of an error of the server.
#[cfg(feature = "sqlx-mysql")]
pub(super) fn number(error: &::sqlx::Error) -> Option<u16> {
    let refused = error.as_database_error()?.try_downcast_ref::<::sqlx::mysql::MySqlDatabaseError>()?;
    Some(refused.number())
}

/// Whether the server gave up in favour of somebody else, so that the same may work at once.
#[cfg(feature = "mysql")]
pub(super) fn is_conflict(error: &Error) -> bool {
    server_code(error)
        .is_some_and(|code| matches!(code, LOCK_WAIT | DEADLOCK | CHANGED | OVERTAKEN | ALTERED | ABORTED))
}

/// Whether somebody has locked what is needed, and keeps it so.
#[cfg(feature = "mysql")]
pub(super) fn is_locked(error: &Error) -> bool {
    server_code(error) == Some(LOCK_WAIT)
}

/// Whether a table, a column or a key was to be made that there is.
#[cfg(feature = "mysql")]
pub(super) fn is_there_already(error: &Error) -> bool {
    server_code(error).is_some_and(|code| matches!(code, TABLE_EXISTS | COLUMN_EXISTS | KEY_EXISTS))
}

/// The number that the server gave an error.
#[cfg(feature = "mysql")]
fn server_code(error: &Error) -> Option<u16> {
    let source = std::error::Error::source(error)?;
    source.downcast_ref::<mysql_async::ServerError>().map(|server| server.code)
}

const TABLE_EXISTS: u16 = 1050;
const COLUMN_EXISTS: u16 = 1060;
const KEY_EXISTS: u16 = 1061;
const LOCK_WAIT: u16 = 1205;
const DEADLOCK: u16 = 1213;
/// MariaDB: a row has changed since it was read.
const CHANGED: u16 = 1020;
/// TiDB: somebody else has written what was to be written.
const OVERTAKEN: u16 = 9007;
/// TiDB: a table was altered meanwhile.
const ALTERED: u16 = 8028;
/// TiDB: what has no number of its own, such as a transaction that lost a lock.
const ABORTED: u16 = 1105;

/// By the number of the error (see the documentation of MySQL).
fn meaning(code: u16) -> (Kind, &'static str) {
    match code {
        LOCK_WAIT => (Kind::Unavailable, "someone else has locked what is needed"),
        DEADLOCK | CHANGED | OVERTAKEN | ALTERED | ABORTED => {
            (Kind::Unavailable, "the database gave up a transaction in favour of another")
        }
        // No such table, no such column.
        1146 | 1054 => (Kind::Schema, "the database holds no journal of this version: run `posthaste migrate`"),
        // No such database, access denied in its variants, a plugin that only one side knows.
        1049 | 1044 | 1045 | 1698 | 1251 | 2059 => (Kind::Denied, "the database does not let us in"),
        1142 | 1143 | 1227 | 1370 => (
            Kind::Invalid,
            "the user of the database may not do this: grant it the rights it needs (docs/stores/mysql.md)",
        ),
        // A constraint, by MySQL and by MariaDB; a column without a value.
        3819 | 4025 | 1048 | 1364 => (Kind::Invalid, "the journal refused a message"),
        1062 => (Kind::Invalid, "a message with this id is stored already"),
        1153 | 1301 => {
            (Kind::Invalid, "a message is larger than max_allowed_packet: raise it on the server, or send less")
        }
        // TiDB: a row that is too large, a transaction that is.
        8025 | 8004 => (Kind::Invalid, "a message is larger than tidb_txn_entry_size_limit: raise it, or send less"),
        // TiDB: a part of the cluster does not answer, or is busy.
        9001..=9006 | 9010..=9013 => (Kind::Unavailable, "a part of the database cluster does not answer"),
        1193 => {
            (Kind::Invalid, "the server lacks a setting that the relay needs: it is too old (docs/stores/mysql.md)")
        }
        1290 | 1792 | 1836 => (Kind::Unavailable, "the database cannot be written to: is it a replica?"),
        1040 | 1203 | 1226 | 1041 | 1037 | 1114 | 1021 => {
            (Kind::Unavailable, "the database has run out of space, memory or connections")
        }
        1053 | 1077 | 1079 | 1152 | 1158..=1161 | 1184 | 1317 | 1927 | 3169 | 4031 => {
            (Kind::Unavailable, "the database is shutting down, or has ended the connection or the statement")
        }
        1264 | 1265 | 1292 | 1366 | 1406 => (Kind::Invalid, "the database refused a value"),
        1665 => (
            Kind::Invalid,
            "binlog_format is STATEMENT, which cannot replicate what the relay does: set it to ROW or MIXED",
        ),
        _ => (Kind::Corrupt, "the database gave an answer that should be impossible"),
    }
}
