//! What a person should know before a relay runs here.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::family::Family;
use super::{MySql, partitions};
use crate::error::Result;
use crate::inspect::Problem;

/// The largest message that every client can send, with what is around it.
const SMALLEST_PACKET: u64 = 17 << 20;

/// What about the server would do harm, and what costs more than it should.
pub(super) async fn check(store: &MySql) -> Result<Vec<Problem>> {
    let mut connection = store.connection().await?;
    partitions::known(store, &mut connection).await?;
    if store.family().await? == Family::TiDb {
        return tidb(&mut connection).await;
    }
    let mut problems = replication(&mut connection).await?;
    problems.extend(durability(&mut connection).await?);
    problems.extend(limits(&mut connection).await?);
    Ok(problems)
}

/// What a person has to do before TiDB enforces constraints.
pub(super) const NO_CONSTRAINTS: &str = "TiDB ignores the constraints of the journal, so that messages could be written which cannot be \
    delivered: SET GLOBAL tidb_enable_check_constraint = ON";

/// Whether TiDB enforces the constraints of tables.
pub(super) async fn enforces_constraints(connection: &mut Conn) -> Result<bool> {
    Ok(variable(connection, "tidb_enable_check_constraint").await?.is_some_and(|value| is_on(&value)))
}

/// What can be wrong with TiDB is not what can be wrong with the others, though it has settings of the same names.
async fn tidb(connection: &mut Conn) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    if !enforces_constraints(connection).await? {
        problems.push(Problem::refusal(NO_CONSTRAINTS));
    }
    for name in ["tidb_restricted_read_only", "tidb_super_read_only"] {
        if variable(connection, name).await?.is_some_and(|value| is_on(&value)) {
            problems.push(Problem::refusal(format!("the cluster is read-only: {name} is on")));
        }
    }
    if variable(connection, "tidb_txn_mode").await?.is_some_and(|mode| mode != "pessimistic") {
        problems.push(Problem::warning(
            "tidb_txn_mode is not pessimistic: a message that is written twice fails the commit of its application",
        ));
    }
    Ok(problems)
}

fn is_on(value: &str) -> bool {
    value == "1" || value == "ON"
}

/// A server that loses commits in a crash loses positions that relays remember.
async fn durability(connection: &mut Conn) -> Result<Vec<Problem>> {
    let flush = variable(connection, "innodb_flush_log_at_trx_commit").await?;
    let sync = variable(connection, "sync_binlog").await?;
    let has_log = variable(connection, "log_bin").await?;
    let mut problems = Vec::new();
    if flush.is_some_and(|flush| flush != "1") {
        problems.push(Problem::warning(
            "innodb_flush_log_at_trx_commit is not 1: a crash of the machine loses what was written last, messages and data alike, and \
             relays have to be started anew after it",
        ));
    }
    if has_log.is_some_and(|log| log == "1" || log == "ON") && sync.is_some_and(|sync| sync != "1") {
        problems.push(Problem::warning(
            "sync_binlog is not 1: after a crash of the machine a replica may lack messages that were delivered",
        ));
    }
    Ok(problems)
}

async fn replication(connection: &mut Conn) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    if variable(connection, "read_only").await?.is_some_and(|value| is_on(&value)) {
        problems.push(Problem::refusal(
            "the server is read-only, as a replica is: the journal can only be walked on the primary",
        ));
    }
    if variable(connection, "binlog_format").await?.is_some_and(|format| format == "STATEMENT") {
        problems.push(Problem::refusal(
            "binlog_format is STATEMENT, which cannot replicate what the relay does: set it to ROW or MIXED",
        ));
    }
    Ok(problems)
}

async fn limits(connection: &mut Conn) -> Result<Vec<Problem>> {
    let packet = variable(connection, "max_allowed_packet").await?.and_then(|bytes| bytes.parse::<u64>().ok());
    let text = "max_allowed_packet is below 17 MB: larger messages cannot be written (64M is usual)";
    Ok(packet.filter(|bytes| *bytes < SMALLEST_PACKET).map(|_| Problem::warning(text)).into_iter().collect())
}

/// A variable of the server, if it has one of this name.
async fn variable(connection: &mut Conn, name: &str) -> Result<Option<String>> {
    let found: Option<(String, String)> =
        connection.exec_first("SHOW GLOBAL VARIABLES WHERE Variable_name = ?", (name,)).await?;
    Ok(found.map(|(_, value)| value))
}
