//! Connections, set up for what they are used for.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};

use super::Options;
use crate::error::{Error, Kind, Result};

/// The first SQLite whose write-ahead log is safe when a checkpoint and a commit of two processes meet.
const OLDEST_SAFE: i32 = 3_051_003;

/// All statements of the relay, so that each is parsed once.
const STATEMENTS: usize = 64;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Application data: a commit is on the disk when it returns.
    Application,
    /// The relay's own records. A power failure may undo the last of them, which only repeats deliveries; a crash of the
    /// process undoes nothing.
    #[cfg(feature = "sqlite")]
    Relay,
    /// Reads, and never writes.
    #[cfg(feature = "sqlite")]
    Reader,
}

/// A connection for an application that writes to the outbox: write-ahead log, full durability, patience with other writers.
///
/// Start transactions with [`rusqlite::TransactionBehavior::Immediate`], or two that read before they write may end each other.
pub fn connect(path: impl AsRef<Path>, options: &Options) -> Result<Connection> {
    open(path.as_ref(), options, Role::Application)
}

pub(super) fn open(path: &Path, options: &Options, role: Role) -> Result<Connection> {
    check_version(rusqlite::version_number())?;
    if path.as_os_str().is_empty() || path == Path::new(":memory:") {
        return Err(Error::new(
            Kind::Invalid,
            "a private SQLite database cannot be shared: give a file, or use `memory`",
        ));
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(options.busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    use_write_ahead_log(&connection, options.busy_timeout)?;
    match role {
        Role::Application => connection.pragma_update(None, "synchronous", "FULL")?,
        #[cfg(feature = "sqlite")]
        Role::Relay => connection.pragma_update(None, "synchronous", "NORMAL")?,
        #[cfg(feature = "sqlite")]
        Role::Reader => connection.pragma_update(None, "query_only", true)?,
    }
    if role != Role::Application {
        // The relay's statements are planned once: otherwise SQLite parses some of them anew for parameters that are 0 or 1.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    }
    Ok(connection)
}

pub(super) fn check_version(version: i32) -> Result<()> {
    if version >= OLDEST_SAFE {
        return Ok(());
    }
    let (major, minor, patch) = (version / 1_000_000, version / 1_000 % 1_000, version % 1_000);
    let text = format!("SQLite {major}.{minor}.{patch} can corrupt a write-ahead log: build with 3.51.3 or newer");
    Err(Error::new(Kind::Invalid, text))
}

/// Two processes that switch a new file over at the same time do not wait for each other's busy timeout, so try again.
fn use_write_ahead_log(connection: &Connection, patience: Duration) -> Result<()> {
    let started = Instant::now();
    loop {
        let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let text = format!("SQLite stays in journal mode `{mode}`: put the file on a local disk");
                return Err(Error::new(Kind::Invalid, text));
            }
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < patience =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
