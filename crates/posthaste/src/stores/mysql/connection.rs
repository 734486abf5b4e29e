//! Connections, set up for what the relay does with them.

use std::time::Duration;

use mysql_async::{Conn, IsolationLevel, Opts, OptsBuilder, PoolConstraints, PoolOpts, SslOpts, Transaction, TxOpts};

use super::Options;
use super::family::Family;
use crate::error::{Error, Kind, Result};
use crate::source::Place;

/// How each session begins.
const SESSION: [&str; 2] = [include_str!("sql/connection/isolation.sql"), include_str!("sql/connection/session.sql")];

/// Statements that a connection keeps prepared.
const PREPARED: usize = 200;

/// An idle connection is given up after this long, and a second at most: before the server does so (`sql/connection/session.sql`).
const IDLE: Duration = Duration::from_secs(2);

pub(super) fn config(options: &Options) -> Result<Opts> {
    // The cause would repeat parts of the URL, and with them the password.
    let url = Opts::from_url(options.url.expose()).map_err(|_| not_understood())?;
    if url.db_name().is_none_or(str::is_empty) {
        return Err(not_understood());
    }
    let most = options.connections.max(1);
    let constraints = PoolConstraints::new(0, most).unwrap_or_default();
    let pool = PoolOpts::default().with_constraints(constraints).with_inactive_connection_ttl(IDLE);
    let pool = pool.with_ttl_check_interval(Duration::from_secs(1));
    let mut builder = OptsBuilder::from_opts(url.clone())
        .stmt_cache_size(PREPARED)
        .tcp_keepalive(Some(options.answer_timeout))
        .prefer_socket(false)
        // A connection comes back as it was given: every transaction is ended, and nothing else is changed.
        .pool_opts(pool.with_reset_connection(false));
    if let Some(password) = &options.password {
        builder = builder.pass(Some(password.expose()));
    }
    if let Some(path) = &options.root_certificates {
        let ssl = url.ssl_opts().cloned().unwrap_or_else(SslOpts::default);
        let roots = vec![path.clone().into()];
        builder = builder.ssl_opts(ssl.with_root_certs(roots).with_disable_built_in_roots(true));
    }
    Ok(builder.into())
}

/// The same, for connections that begin as the statements of the relay want it.
pub(super) fn for_sessions(config: &Opts, family: Family) -> Opts {
    let begin = SESSION.map(|sql| family.variant(sql));
    OptsBuilder::from_opts(config.clone()).init(begin.to_vec()).into()
}

fn not_understood() -> Error {
    Error::new(
        Kind::Invalid,
        "the URL of the database cannot be understood: write mysql://user:password@host:3306/database",
    )
}

/// The database as a person knows it, without user and password.
pub(super) fn place(config: &Opts) -> String {
    format!("mysql://{}:{}/{}", config.ip_or_hostname(), config.tcp_port(), config.db_name().unwrap_or_default())
}

/// The server, whose databases are all within one transaction's reach.
pub(super) fn server(config: &Opts) -> Place {
    Place::server("mysql", config.ip_or_hostname(), config.tcp_port())
}

/// A transaction that is rolled back unless it is committed. Each of its statements sees what is committed when it begins.
pub(super) async fn begin(connection: &mut Conn) -> Result<Transaction<'_>> {
    Ok(connection.start_transaction(TxOpts::default()).await?)
}

/// A transaction in which nothing changes: all of its statements see the same.
pub(super) async fn snapshot(connection: &mut Conn) -> Result<Transaction<'_>> {
    let mut snapshot = TxOpts::default();
    snapshot.with_isolation_level(IsolationLevel::RepeatableRead).with_consistent_snapshot(true);
    Ok(connection.start_transaction(snapshot).await?)
}

/// A transaction that also sees what nobody has committed yet.
pub(super) async fn uncommitted(connection: &mut Conn) -> Result<Transaction<'_>> {
    let mut options = TxOpts::default();
    options.with_isolation_level(IsolationLevel::ReadUncommitted).with_readonly(true);
    Ok(connection.start_transaction(options).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_names_host_and_database_and_neither_user_nor_password() {
        let config = config(&Options::new("mysql://ann:s3cret@db1/app?require_ssl=true")).unwrap();
        assert_eq!(place(&config), "mysql://db1:3306/app");
    }

    #[test]
    fn a_url_without_a_database_is_refused_with_an_example() {
        for url in ["mysql://ann:s3cret@db1", "mysql://", "postgres://db1/app", "db1"] {
            let refused = config(&Options::new(url)).expect_err("no database to use").to_string();
            assert!(refused.contains("mysql://user:password@host:3306/database"), "{refused}");
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }
}
